/** The effect of one very busy agent on other users. */
import { expect, test } from 'vitest'
import { agentCalls } from '../../worker/services/quotas.ts'
import { agentAt } from '../support/agentCalls.ts'
import { addressFor } from '../support/stackClient.ts'
import { bursar, createAgent } from './gateway.ts'

const connections = 64
const quietMs = 1_500
/** The slowest call beside the flood; on a machine that is busy with other things, ten times the slowest without it. */
const patienceMs = 3_000 // 3 seconds; an idle stack replies within a few milliseconds

test('an agent that floods the API gets 429 and delays neither its owner’s dashboard nor other users @fairness-2', async () => {
  const [hot, other] = [await createAgent(), await createAgent()]
  const owner = await hot.sender.token()
  const body = { to: { type: 'address', address: addressFor('hot') }, amount: '0.01' }
  let ends = Date.now() + quietMs
  const seen = { ok: 0, limited: 0 }
  const hammer = async () => {
    while (Date.now() < ends) {
      const { status, headers } = await bursar.call('/v1/payments/check', { token: hot.apiKey, body })
      if (status === 429) {
        seen.limited++
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(headers.get('ratelimit')).toBe(`"agent";r=0;t=${headers.get('retry-after')}`)
      } else {
        expect(status).toBe(200)
        seen.ok++
      }
    }
  }
  const timed = async (call: () => Promise<unknown>) => {
    const times: number[] = []
    while (Date.now() < ends) {
      const at = performance.now()
      await call()
      times.push(performance.now() - at)
    }
    return times.sort((a, b) => a - b)
  }
  const payer = agentAt(bursar.url, other.apiKey)
  const pay = () => payer.pay({ to: addressFor('hot'), amount: '0.001' })
  const load = () => bursar.api('/policy-groups/with-agents', { token: owner })
  const quiet = await Promise.all([timed(load), timed(pay)])
  const patience = Math.max(patienceMs, 10 * Math.max(...quiet.flat()))
  ends = Date.now() + 8_000
  const [dashboard, payments] = await Promise.all([
    timed(load),
    timed(pay),
    ...Array.from({ length: connections }, hammer),
  ])
  // Two rate limit windows may begin within eight seconds.
  expect(seen.ok).toBeLessThanOrEqual(2 * agentCalls.limit)
  for (const [name, times] of Object.entries({ dashboard, payments })) {
    expect(times!.length, name).toBeGreaterThan(5)
    expect(times!.at(-1), `${name}: slowest of ${times!.length}`).toBeLessThan(patience)
  }
})
