/**
 * `npm run test:long payout-runs`: a run of 1,000 addresses, while another account pays. Promised on two quiet cores: checked within
 * 15 s, decided within 300 ms, all confirmed within 240 s, and the other's payments take at most 1.5 times their quiet median.
 * ROWS=1000. Test id: @runs-51
 */

import { agentAt } from '../support/agentCalls.ts'
import { noLimits } from '../support/limits.ts'
import { addressFor, createSender, pause } from '../support/stackClient.ts'
import { runsOf, wrongSums } from '../support/stackRuns.ts'
import { createTestStack } from '../support/testStack.ts'

const rows = Number(process.env.ROWS ?? 1_000)
const quietMs = 15_000

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

await using stack = await createTestStack({ lean: true, vars: { LIMITS: JSON.stringify(noLimits) } })
const { bursar, url } = stack
const sender = await createSender(stack, { funds: '5000', limit: 10 })
const other = await createSender(stack, { funds: '100', limit: 100 })
const agent = agentAt(url, other.agents[0]!.apiKey)

let isOver = false
/** Pays four times a second until `isDone`, and returns how long each took (ms). */
async function payUntil(isDone: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isDone()) {
    const startedAt = performance.now()
    await agent.pay({ to: addressFor('merchant'), amount: '0.000001' })
    times.push(performance.now() - startedAt)
    await pause(250)
  }
  return times
}
const quietUntil = Date.now() + quietMs
const quiet = await payUntil(() => Date.now() > quietUntil)
const busy = payUntil(() => isOver)

const runs = runsOf(bursar, sender)
const since = (from: number) => (performance.now() - from) / 1000
const file = Array.from({ length: rows }, (_, i) => ({ to: addressFor(`run row ${i}`), amount: '1' }))
const begun = performance.now()
const made = await runs.make('A thousand', file)
await runs.checked(made.id, 60_000)
const checkSeconds = since(begun)
const waiting = await runs.submit(made.id)
const asked = performance.now()
const run = await runs.approve(waiting)
const decisionMs = performance.now() - asked
let now = run
for (; now.endedAt === null && since(asked) < 600; await pause(1_000)) {
  now = await runs.get(run.id)
  const wrong = wrongSums(now)
  if (wrong.length > 0) throw new Error(wrong.join(', '))
}
const paidSeconds = since(asked)
isOver = true
const ratio = median(await busy) / median(quiet)
console.log(
  `${rows} rows: checked in ${checkSeconds.toFixed(1)} s, decided in ${decisionMs.toFixed(0)} ms, ${now.paid.rows} confirmed in ${paidSeconds.toFixed(0)} s`,
)
console.log(
  `another account's payments: ${median(quiet).toFixed(0)} ms quiet, ${ratio.toFixed(2)} times that meanwhile`,
)
const failures = [
  checkSeconds > 15 && 'the check',
  decisionMs > 300 && 'the decision',
  (paidSeconds > 240 || now.paid.rows !== rows) && 'the payments',
  ratio > 1.5 && 'the other account',
].filter(Boolean)
if (failures.length > 0) throw new Error(`too slow: ${failures.join(', ')}`)
