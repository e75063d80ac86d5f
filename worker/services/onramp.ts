import type { AccountId } from '#domain/accounts.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import type { OnrampSession } from '#schemas/onramp.ts'
import type { Deps } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { onrampFrom } from '../onramp/onramp.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { limitAttempts } from './attemptLimits.ts'

/** Creates a checkout page that sells USDC to one of the user's own wallets and then returns to this app. */
export async function createOnrampSession(
  deps: Deps,
  accountId: AccountId,
  input: { destinationAddress: string; presetFiatAmount: MicroUsdc; redirectUrl: string },
  clientIp: string | null,
): Promise<OnrampSession> {
  const { env, now } = deps
  const onramp = onrampFrom(env, now)
  if (!onramp) throw new AppError('unavailable', 'Buying USDC with a card is not available here. Receive USDC instead.')
  if (new URL(input.redirectUrl).origin !== new URL(env.APP_ORIGIN).origin)
    throw new AppError('invalid_input', 'The return URL must be a page of this app.', { field: 'redirectUrl' })
  if (!(await treasuryOf(env, accountId).wallets().has(input.destinationAddress)))
    throw new AppError('not_found', 'Wallet not found.', { field: 'destinationAddress' })
  await limitAttempts(deps, 'onramp', accountId)

  const { destinationAddress, redirectUrl } = input
  const [dollars, cents = ''] = formatUsdc(input.presetFiatAmount).split('.')
  const amount = `${dollars}.${cents.padEnd(2, '0')}`
  return { onrampUrl: await onramp.createSession({ destinationAddress, amount, redirectUrl, clientIp }) }
}
