/**
 * One account filters a million transactions in three tabs, each as fast as it gets answers, while another account pays.
 *
 *   node tests/long/filters.ts         on one thread: the other's payments may take three times as long as without filters
 *   node tests/long/filters.ts apart   Histories in a second workerd: at most 1.2 times
 *
 * The rows are written into the account's History while the Worker is down. The limits of calls are lifted, so that only the
 * work of a filter itself counts.
 *
 * With `apart`, as on Cloudflare, no History shares a thread with another account's Treasury. The Worker, D1 and all other
 * objects still share one, which also passes on the requests and answers of the tabs. The tabs and the second workerd stand in
 * for other machines, so they get only the time of cores that nothing else needs; memory and disk are shared. Needs Linux.
 * ROWS, PAIRS and SAMPLES, the payments of a slice, change the figures.
 */
import { minuteMs } from '#domain/time.ts'
import type { Page } from '#schemas/common.ts'
import { withHistory } from '../support/objectFiles.ts'
import { type Session, takeAccount } from '../support/readyAccounts.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'
import { payBeside } from './tabs/payBeside.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const rows = figure('ROWS', 1_000_000)
const pairs = figure('PAIRS', 10)
const samples = figure('SAMPLES', 30)
const historyApart = process.argv[2] === 'apart'
const most = historyApart ? 1.2 : 3
const tabs = 3

const paths = [
  '/transactions/user?memo=zzzz',
  '/transactions/user?search=invoice%2099',
  '/transactions/user?recipient=zzzz&sort=smallest',
  '/transactions/user?status=completed&pageSize=100',
  '/transactions/user?pageSize=100',
  '/transactions/user?amountMin=100&sort=largest',
]

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

await using stack = await createTestStack(historyApart ? { lean: true, historyApart } : {})
const { session } = await takeAccount(stack)
console.log(`writing ${rows.toLocaleString('en-US')} rows …`)
await fill(stack, session)
const { accessToken } = session
const what = 'the filters'
const isFair = await payBeside(stack, { accessToken, paths, count: tabs, pairs, samples, most, what })
process.exitCode = isFair ? 0 : 1
