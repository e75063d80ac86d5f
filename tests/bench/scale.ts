/**
 * Measures the constants of docs/scale.md on a local stack, and writes its tables: `npm run bench:scale`. Exits with 1 if a
 * constant of scale/model.ts is off by more than a fifth; correct it there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { Bursar } from '#sdk'
import { until } from '../../local/client.ts'
import { createSender } from '../support/stackClient.ts'
import { runsOf } from '../support/stackRuns.ts'
import { createTestStack } from '../support/testStack.ts'
import { type Measured, measured, withTables } from './scale/model.ts'
import type { Counts } from './scale/worker.ts'

const lone = 15
/** For sizes, which grow by pages of 4 kB. */
const together = { rounds: 15, payments: 16 }
const runRows = 100
/** Until what a payment started has ended: it is final here after two blocks, and the check of that comes after 5 seconds. */
const restMs = 12_000
const mostOff = 0.2

await using stack = await createTestStack({ entry: 'tests/bench/scale/worker.ts' })
const { bursar } = stack
let requests = 0
const sender = await createSender(stack, { funds: '1000', limit: 100 })
const agent = new Bursar({
  url: bursar.url,
  apiKey: sender.agents[0]!.apiKey,
  fetch: (request) => {
    requests += 1
    return fetch(request)
  },
})
async function pay() {
  const { id } = await agent.pay({ to: newAddress(), amount: '0.01' })
  await until('the payment', async () => (await agent.payments.get(id)).status === 'CONFIRMED')
}
async function payRun() {
  const runs = runsOf(bursar, sender)
  const made = await runs.make(
    'Bench',
    Array.from({ length: runRows }, () => ({ to: newAddress(), amount: '0.01' })),
  )
  await runs.checked(made.id)
  const { id } = await runs.approve(await runs.submit(made.id))
  await until('the run', async () => (await runs.get(id)).paid.rows === runRows, 120_000)
}
const newAddress = () => privateKeyToAddress(generatePrivateKey())

/** What was counted since the last time. */
async function takeCounts(): Promise<Counts & { requests: number }> {
  const counts = (await (await fetch(`${bursar.url}/dev/counts`)).json()) as Counts
  const made = requests
  requests = 0
  return { ...counts, requests: made }
}
const rest = () => new Promise((resolve) => setTimeout(resolve, restMs))

await pay()
await rest()
await takeCounts()
for (let i = 0; i < lone; i++) await pay()
await rest()
const alone = await takeCounts()
for (let i = 0; i < together.rounds; i++) await Promise.all(Array.from({ length: together.payments }, pay))
await rest()
const { bytes } = await takeCounts()
await payRun()
await rest()
const run = await takeCounts()

const perPayment = (name: keyof Counts['bytes']) =>
  (bytes[name] - alone.bytes[name]) / (together.rounds * together.payments)
const now: Measured = {
  // The calls that ask for the status are not part of the payment; the one that makes it is.
  objectCalls: (alone.calls - alone.requests) / lone + 1,
  objectRows: alone.objectRows / lone,
  d1Rows: alone.d1Rows / lone,
  treasuryBytes: perPayment('treasury'),
  relayerBytes: perPayment('relayer'),
  historyBytes: perPayment('history'),
  runPaymentRows: run.objectRows / runRows,
}
console.log(`${''.padEnd(16)}${'model'.padStart(10)}${'measured'.padStart(10)}`)
for (const [name, value] of Object.entries(now)) {
  const known = measured[name as keyof Measured]
  const isOff = Math.abs(value - known) > known * mostOff
  if (isOff) process.exitCode = 1
  console.log(`${name.padEnd(16)}${String(known).padStart(10)}${value.toFixed(1).padStart(10)}${isOff ? '  OFF' : ''}`)
}
const path = join(import.meta.dirname, '../../docs/scale.md')
writeFileSync(path, withTables(readFileSync(path, 'utf8')))
