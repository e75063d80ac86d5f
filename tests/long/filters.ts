/**
 * One account filters a million transactions in three tabs, each as fast as it gets answers, while another account pays.
 *
 *   node tests/long/filters.ts
 *
 * The rows are written into the account's History while the Worker is down. The limits of calls are lifted, so that only the
 * work of a filter itself counts. The other's median may be three times that of a quiet server. D1, the objects and the Worker
 * share one thread here; on Cloudflare, a History shares none with another account's Treasury. ROWS and SAMPLES change the figures.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { minuteMs } from '#domain/time.ts'
import { agentAt } from '../support/agentCalls.ts'
import { withHistory } from '../support/objectFiles.ts'
import { type Session, takeAccount } from '../support/readyAccounts.ts'
import { addressFor, createSender, pause } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const rows = figure('ROWS', 1_000_000)
const samples = figure('SAMPLES', 60)
const most = 3
const tabs = 3
const warmUpMs = 3_000 // 3 seconds

const paths = [
  '/transactions/user?memo=zzzz',
  '/transactions/user?search=invoice%2099',
  '/transactions/user?recipient=zzzz&sort=smallest',
  '/transactions/user?status=completed&pageSize=100',
  '/transactions/user?pageSize=100',
  '/transactions/user?amountMin=100&sort=largest',
]

type Tabs = { url: string; accessToken: string }
type Counts = { answers: number; failed: string[]; longestMs: number }

/** In a process of its own, so that the other's client waits for nothing. Ends on a message, and sends its counts. */
async function filter({ url, accessToken }: Tabs): Promise<void> {
  const counts: Counts = { answers: 0, failed: [], longestMs: 0 }
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  const tab = async (i: number) => {
    for (let turn = i; !isOver; turn++) {
      const startedAt = performance.now()
      const path = paths[turn % paths.length]!
      const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
      await answer.text()
      counts.answers += 1
      counts.longestMs = Math.max(counts.longestMs, performance.now() - startedAt)
      if (answer.status !== 200) counts.failed.push(`${path}: ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: tabs }, (_, i) => tab(i)))
  process.send!(counts)
  process.disconnect()
}

async function fill(stack: TestStack, { user, accessToken: token }: Session): Promise<void> {
  await stack.bursar.api('/transactions/user', { token })
  await stack.stopWorker()
  const body = `json_object('id', 'pay_' || i, 'category', 'address', 'status', 'CONFIRMED', 'amountUsdc', '1',
    'createdAt', '2026-01-01T00:00:00.000Z', 'agentId', NULL, 'agent', NULL, 'contactId', NULL, 'contact', NULL,
    'toAddress', '0x' || hex(randomblob(20)), 'fromWalletId', 'wal', 'fromWallet', json_object('name', 'Ops', 'address', 'x'),
    'fromWalletChain', 'base', 'txHash', '0x' || hex(randomblob(32)), 'memo', 'Invoice ' || i, 'reference', NULL,
    'errorMessage', NULL, 'recipientEmail', NULL, 'recipientPhone', NULL, 'escrowId', NULL, 'refusal', NULL,
    'timeline', json_object())`
  withHistory(stack.stateDir, user.id, (db) =>
    db.exec(`BEGIN;
      INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, body)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      SELECT 'pay_' || i, 1, ${Date.now()} - i * ${minuteMs}, 'CONFIRMED', 'address', (i % 250 + 1) * 1000000, 'wal', 'base', ${body}
      FROM n;
      COMMIT;`),
  )
  await stack.restartWorker()
}

const at = (times: number[], share: number) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)]!

async function run(): Promise<boolean> {
  await using stack = await createTestStack()
  const { bursar } = stack
  const { session } = await takeAccount(stack)
  console.log(`writing ${rows.toLocaleString('en-US')} rows …`)
  await fill(stack, session)
  const payer = await createSender(stack, { funds: '200', limit: 1000 })
  const payingAgent = agentAt(bursar.url, payer.agents[0]!.apiKey)
  const measure = async (count: number): Promise<number[]> => {
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const startedAt = performance.now()
      await payingAgent.pay({ to: addressFor('merchant'), amount: '0.001' })
      times.push(performance.now() - startedAt)
      await pause(100)
    }
    return times
  }
  await measure(10) // warms up
  const before = await measure(Math.ceil(samples / 2))
  const input: Tabs = { url: stack.url, accessToken: session.accessToken }
  const child = fork(import.meta.filename, ['filter', JSON.stringify(input)])
  await pause(warmUpMs)
  const beside = await measure(samples)
  const reported = once(child, 'message') as Promise<[Counts]>
  child.send('stop')
  const [{ answers, failed, longestMs }] = await reported
  const quiet = [...before, ...(await measure(Math.ceil(samples / 2)))]
  const [median, during] = [at(quiet, 0.5), at(beside, 0.5)]
  const isFair = during <= most * median
  console.log(
    `pay: median ${median.toFixed(1)} ms quiet, ${during.toFixed(1)} ms beside the filters (${(during / median).toFixed(1)} times); ` +
      `95th percentile ${at(quiet, 0.95).toFixed(1)} and ${at(beside, 0.95).toFixed(1)} ms${isFair ? '' : '  TOO SLOW'}`,
  )
  console.log(
    `${answers} answers to the ${tabs} tabs, the longest after ${longestMs.toFixed(0)} ms; failed: ${failed.length}`,
  )
  for (const each of failed.slice(0, 3)) console.log(each)
  return isFair && failed.length === 0
}

if (process.argv[2] === 'filter') await filter(JSON.parse(process.argv[3]!) as Tabs)
else process.exitCode = (await run()) ? 0 : 1
