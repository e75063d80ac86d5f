/** The effect of one very busy agent on other users. */
import { expect, test } from 'vitest'
import { agentCalls } from '../../worker/services/quotas.ts'
import { bursar, createAgent } from '../gateway/gateway.ts'
import { agentAt } from '../support/agentCalls.ts'
import { addressFor } from '../support/stackClient.ts'

const connections = 64
const quietMs = 1_500
const floodMs = 8_000 // 8 seconds
const fewest = 6
/** The slowest call beside the flood; on a machine that is busy with other things, ten times the slowest without it. */
const patienceMs = 3_000 // 3 seconds; an idle stack replies within a few milliseconds

test('an agent that floods the API gets 429 and delays neither its owner’s dashboard nor other users @fairness-2', async () => {
  const [hot, other] = [await createAgent(), await createAgent()]
  const owner = await hot.sender.token()
  const body = { to: { type: 'address', address: addressFor('hot') }, amount: '0.01' }
  let floods = true
  const seen = { ok: 0, limited: 0 }
  const hammer = async () => {
    while (floods) {
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
  /** For `ms`, and for as long as a busy machine needs for enough calls. */
  const timed = async (ms: number, call: () => Promise<unknown>) => {
    const ends = Date.now() + ms
    const times: number[] = []
    while (Date.now() < ends || times.length < fewest) {
      const at = performance.now()
      await call()
      times.push(performance.now() - at)
    }
    return times.sort((a, b) => a - b)
  }
  const payer = agentAt(bursar.url, other.apiKey)
  const pay = () => payer.pay({ to: addressFor('hot'), amount: '0.001' })
  const load = () => bursar.api('/policy-groups/with-agents', { token: owner })
  const quiet = await Promise.all([timed(quietMs, load), timed(quietMs, pay)])
  const patience = Math.max(patienceMs, 10 * Math.max(...quiet.flat()))
  const startedAt = Date.now()
  const measured = Promise.all([timed(floodMs, load), timed(floodMs, pay)]).finally(() => {
    floods = false
  })
  const [[dashboard, payments]] = await Promise.all([measured, ...Array.from({ length: connections }, hammer)])
  // A full quota, and what has been added to it since.
  expect(seen.ok).toBeLessThanOrEqual(agentCalls.limit * (1 + (Date.now() - startedAt) / agentCalls.windowMs))
  for (const [name, times] of Object.entries({ dashboard, payments })) {
    expect(times!.at(-1), `${name}: slowest of ${times!.length}`).toBeLessThan(patience)
  }
})
