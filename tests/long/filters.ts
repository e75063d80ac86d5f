/**
 * One account filters a million transactions in three tabs, each as fast as it gets answers, while another account pays.
 *
 *   node tests/long/filters.ts         on one thread: the other's payments may take three times as long as without filters
 *   node tests/long/filters.ts apart   Histories in a second workerd: at most 1.2 times
 *
 * The rows are written into the account's History while the Worker is down. The limits of calls are lifted, so that only the
 * work of a filter itself counts. Slices of payments with and without filters alternate (quiet, beside, beside, quiet, …), so
 * that a change of the machine's speed falls on both. What counts is the median of the ratios of their medians.
 *
 * With `apart`, as on Cloudflare, no History shares a thread with another account's Treasury. The Worker, D1 and all other
 * objects still share one, which also passes on the requests and answers of the tabs. The tabs and the second workerd stand in
 * for other machines, so they get only the time of cores that nothing else needs; memory and disk are shared. Needs Linux.
 * ROWS, PAIRS and SAMPLES, the payments of a slice, change the figures.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { minuteMs } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import { yieldCores } from '../../local/stack/processTree.ts'
import { agentAt } from '../support/agentCalls.ts'
import { withHistory } from '../support/objectFiles.ts'
import { type Session, takeAccount } from '../support/readyAccounts.ts'
import { addressFor, createSender, pause } from '../support/stackClient.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const rows = figure('ROWS', 1_000_000)
const pairs = figure('PAIRS', 10)
const samples = figure('SAMPLES', 30)
const historyApart = process.argv[2] === 'apart'
const most = historyApart ? 1.2 : 3
const tabs = 3
const warmUpMs = 1_000 // 1 second

const paths = [
  '/transactions/user?memo=zzzz',
  '/transactions/user?search=invoice%2099',
  '/transactions/user?recipient=zzzz&sort=smallest',
  '/transactions/user?status=completed&pageSize=100',
  '/transactions/user?pageSize=100',
  '/transactions/user?amountMin=100&sort=largest',
]

const kinds = ['quiet', 'beside'] as const
type Times = Record<(typeof kinds)[number], number[]>

type Tabs = { url: string; accessToken: string }
type Counts = { answers: number; failed: string[]; longestMs: number }

/** In a process of its own, so that the other's client waits for nothing. Filters from 'start' to 'stop', then sends its counts. */
function filter({ url, accessToken }: Tabs): void {
  const counts: Counts = { answers: 0, failed: [], longestMs: 0 }
  yieldCores(process.pid)
  let isOn = false
  let running: Promise<unknown> = Promise.resolve()
  const tab = async (i: number) => {
    for (let turn = i; isOn; turn++) {
      const startedAt = performance.now()
      const path = paths[turn % paths.length]!
      const answer = await fetch(`${url}/api${path}`, { headers: { authorization: `Bearer ${accessToken}` } })
      await answer.text()
      counts.answers += 1
      counts.longestMs = Math.max(counts.longestMs, performance.now() - startedAt)
      if (answer.status !== 200) counts.failed.push(`${path}: ${answer.status}`)
    }
  }
  process.on('message', async (message) => {
    isOn = message === 'start'
    if (isOn) running = Promise.all(Array.from({ length: tabs }, (_, i) => tab(i)))
    else {
      await running
      process.send!(counts)
    }
  })
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
  const list = await stack.bursar.call<{ page: Page }>('/api/transactions/user', { token })
  if (list.body.page.total !== rows) throw new Error(`the list has ${list.body.page.total} rows`)
}

/** Of two values in the middle, the larger. */
const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length - 1) * share)]!

async function run(): Promise<boolean> {
  await using stack = await createTestStack(historyApart ? { lean: true, historyApart } : {})
  const { session } = await takeAccount(stack)
  console.log(`writing ${rows.toLocaleString('en-US')} rows …`)
  await fill(stack, session)
  const payer = await createSender(stack, { funds: '200', limit: 1000 })
  const payingAgent = agentAt(stack.url, payer.agents[0]!.apiKey)
  const input: Tabs = { url: stack.url, accessToken: session.accessToken }
  const child = fork(import.meta.filename, ['filter', JSON.stringify(input)])
  let counts: Counts = { answers: 0, failed: [], longestMs: 0 }

  const measure = async (): Promise<number[]> => {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      const startedAt = performance.now()
      await payingAgent.pay({ to: addressFor('merchant'), amount: '0.001' })
      times.push(performance.now() - startedAt)
      await pause(100)
    }
    return times
  }
  const measureBeside = async (): Promise<number[]> => {
    child.send('start')
    await pause(warmUpMs)
    const times = await measure()
    const reported = once(child, 'message') as Promise<[Counts]>
    child.send('stop')
    counts = (await reported)[0]
    return times
  }

  await measure() // warms up
  const all: Times = { quiet: [], beside: [] }
  const ratios: number[] = []
  for (let i = 0; i < pairs; i++) {
    const pair: Times = { quiet: [], beside: [] }
    for (const kind of i % 2 === 0 ? kinds : kinds.toReversed())
      pair[kind] = kind === 'quiet' ? await measure() : await measureBeside()
    for (const kind of kinds) all[kind].push(...pair[kind])
    ratios.push(at(pair.beside, 0.5) / at(pair.quiet, 0.5))
  }
  child.disconnect()

  const ratio = at(ratios, 0.5)
  const isFair = ratio <= most
  console.log(`pay: ${ratio.toFixed(2)} times as long beside the filters${isFair ? '' : `  TOO SLOW: at most ${most}`}`)
  console.log(`each pair: ${ratios.map((each) => each.toFixed(2)).join(' ')}`)
  for (const kind of kinds) {
    const [median, slow] = [at(all[kind], 0.5), at(all[kind], 0.95)]
    console.log(`${kind}: median ${median.toFixed(1)} ms, 95th percentile ${slow.toFixed(1)} ms`)
  }
  const { answers, failed, longestMs } = counts
  console.log(
    `${answers} answers to the ${tabs} tabs, the longest after ${longestMs.toFixed(0)} ms; failed: ${failed.length}`,
  )
  for (const each of failed.slice(0, 3)) console.log(each)
  // Each tab has to get some, or nothing was measured.
  const isBusy = answers >= pairs * tabs
  return isFair && isBusy && failed.length === 0
}

if (process.argv[2] === 'filter') filter(JSON.parse(process.argv[3]!) as Tabs)
else process.exitCode = (await run()) ? 0 : 1
