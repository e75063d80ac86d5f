/** A payment by an agent of the first account, through the public API. */
import { randomUUID } from 'node:crypto'
import { Bursar, BursarError } from '#sdk'
import type { ProductionConfig } from '../config.ts'
import type { State } from '../state.ts'
import { LaunchError, type Outcome } from '../steps.ts'

const confirmedWithinMs = 3 * 60_000 // 3 minutes

/** Pays once, however often it runs: the idempotency key is stored before it is used. */
export async function payOnce(
  config: ProductionConfig,
  state: State,
  environment: Record<string, string | undefined>,
): Promise<Outcome> {
  const done = state.steps()['test payment']
  if (done) return { changed: false, note: done.note }
  if (!config.testPayment) return { changed: false, note: 'skipped: the target’s testPayment is not set' }
  const { TEST_CLIENT_ID: clientId, TEST_CLIENT_SECRET: clientSecret } = environment
  if (!clientId || !clientSecret)
    return {
      changed: false,
      note: `waits for you: sign up at ${config.origin}/signup with the passcode ${state.get('passcode')}, deploy and fund a wallet, create an agent; then set TEST_CLIENT_ID and TEST_CLIENT_SECRET and launch again`,
    }

  const { to, amount } = config.testPayment
  const bursar = new Bursar({ url: config.origin, clientId, clientSecret })
  const idempotencyKey = state.get('testPaymentKey') ?? randomUUID()
  state.set('testPaymentKey', idempotencyKey)
  const signal = AbortSignal.timeout(confirmedWithinMs)
  const terms = { to, amount, memo: 'launch', idempotencyKey, wait: 'sent', signal } as const
  const paid = await bursar.pay(terms).catch((error: unknown) => {
    throw error instanceof BursarError ? new LaunchError(`the test payment: ${error.message}`) : error
  })
  return { changed: true, note: `${amount} USDC to ${to}, ${paid.tx_hash}` }
}
