import type { Wallet } from '#schemas/wallet.ts'
import { dollars, microOf } from './amounts.ts'

/** Why the wallet can't pay at all, as words to show after its name; null if it can. */
export function blockedBecause({ status, paused, halted }: Wallet): string | null {
  if (status === 'deploying') return 'still being created'
  if (status === 'failed') return 'not created'
  if (halted !== null) return 'stopped'
  return paused ? 'paused' : null
}

/** '$180.00 available to spend now. $20.00 more is arriving.' */
export function spendableText({ spendable, usdcBalance }: Pick<Wallet, 'spendable' | 'usdcBalance'>): string {
  if (!spendable) return 'The balance is unavailable now. We check it when you send.'
  const now = `${dollars(microOf(spendable.now))} available to spend now.`
  const why =
    spendable.limitedBy === 'session' && usdcBalance
      ? ` The session key may pay no more of the ${dollars(microOf(usdcBalance.balance))} in the wallet until you rotate it.`
      : ''
  return now + why + arrivingText(spendable)
}

/** ' $20.00 more is arriving …', or an empty string. */
function arrivingText({ arriving }: NonNullable<Wallet['spendable']>): string {
  return arriving === '0' ? '' : ` ${dollars(microOf(arriving))} more is arriving and can be spent in a few seconds.`
}
