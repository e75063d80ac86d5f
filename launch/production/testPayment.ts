/** A payment by an agent of the first account, through the public API. */
import { randomUUID } from 'node:crypto'
import { BursarClient, until } from '../../local/client.ts'
import type { Payment } from '../../worker/schemas/payment.ts'
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
  const bursar = new BursarClient(config.origin, config.chain.publicRpcUrl)
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { access_token: token } = await bursar.plain<{ access_token: string }>('/oauth/token', { form })
  const key = state.get('testPaymentKey') ?? randomUUID()
  state.set('testPaymentKey', key)
  const body = { to: { type: 'address', address: to }, amount, memo: 'launch' }
  const { id } = await bursar.plain<Payment>('/v1/payments', { token, key, body })
  const paid = await until(
    `payment ${id} to be confirmed`,
    async () => {
      const payment = await bursar.plain<Payment>(`/v1/payments/${id}`, { token })
      if (payment.status === 'FAILED') throw new LaunchError(`payment ${id} failed: ${payment.error?.message}`)
      return payment.status === 'CONFIRMED' && payment
    },
    confirmedWithinMs,
  )
  return { changed: true, note: `${amount} USDC to ${to}, ${paid.tx_hash}` }
}
