/** How the History object follows its Treasury. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { getTableColumns } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { openTroubles } from '../../worker/db/troubles.ts'
import type { ChangePage } from '../../worker/history/api.ts'
import { payoutView, transactionView } from '../../worker/history/listsSchema.ts'
import { Rows } from '../../worker/history/rows.ts'
import { lastChange } from '../../worker/treasury/outbox/delivery/history.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { historyOf, historyRows, inHistory, syncHistory } from '../support/histories.ts'
import { fresh, until } from '../support/payer.ts'
import { copyTables } from '../support/restoringOperator.ts'
import { env } from '../support/testEnv.ts'
import { inTreasury, rowsOf, runNow, treasuryOf } from '../support/treasuries.ts'

let account: AccountFixture
beforeAll(async () => {
  account = await createAccountFixture(await createTestApp(), { funds: 1_000_000_000n })
})

const pay = async (over: object = {}) => {
  const paid = await account.pay({ to: { type: 'address', address: fresh('h') }, amount: '0.01', ...over })
  expect(paid.status, paid.text).toBeLessThan(300)
  return paid.json.id as string
}
const list = () => account.asOwner('GET', '/transactions/user?pageSize=100')
const listed = async () => {
  const { status, json, text } = await list()
  expect(status, text).toBe(200)
  return (json.data as { id: string; status: string }[]).map(({ id }) => id)
}
const everything = async () => ({
  transactions: await historyRows(account, 'SELECT * FROM transaction_view ORDER BY id'),
  payouts: await historyRows(account, 'SELECT * FROM payout_view ORDER BY id'),
  values: await historyRows(account, 'SELECT * FROM recoverable_value ORDER BY name'),
  counted: await historyRows(account, 'SELECT * FROM counted ORDER BY id'),
  totals: await historyRows(account, 'SELECT * FROM total ORDER BY 1, 2, 3, 4, 5'),
  recipients: await historyRows(account, 'SELECT * FROM recipient_total ORDER BY 1, 2'),
  position: await historyOf(account).position(),
})
const wipe = () =>
  inHistory(account, (_, { storage }) => {
    for (const table of ['position', 'transaction_view', 'payout_view', 'recoverable_value', 'counted'])
      storage.sql.exec(`DELETE FROM ${table}`)
  })

test('listsSchema.ts has the columns of the tables @lists-49', async () => {
  for (const view of [transactionView, payoutView]) {
    const [name] = view === transactionView ? ['transaction_view'] : ['payout_view']
    const columns = await historyRows<{ name: string; notnull: number; pk: number }>(
      account,
      `SELECT name, "notnull", pk FROM pragma_table_xinfo('${name}')`,
    )
    expect(Object.values(getTableColumns(view)).map((column) => [column.name, column.notNull])).toEqual(
      columns.map(({ name, notnull, pk }) => [name, name === 'recipient' || notnull + pk > 0]),
    )
  }
})

test('a list has every payment that was accepted before it was requested; the rest follows by alarm @lists-50', async () => {
  for (let i = 0; i < 3; i++) {
    const paid = await pay()
    expect((await listed())[0]).toBe(paid)
  }
  const id = await pay()
  const before = (await historyOf(account).position()).seq
  await runNow(account, 'history')
  expect((await historyOf(account).position()).seq).toBeGreaterThan(before)
  expect(await historyRows(account, 'SELECT id FROM transaction_view WHERE id = ?', id)).toEqual([{ id }])
})

test('a lost History is rebuilt from its Treasury, equal row by row @lists-51', async () => {
  await account.createPayout({ amount: '1' })
  await syncHistory(account)
  const before = await everything()
  expect(before.payouts.length).toBeGreaterThan(0)
  expect(before.values.map(({ name }) => name)).toContain('salt')
  await wipe()
  expect(await listed()).toHaveLength(before.transactions.length)
  expect(await everything()).toEqual(before)
})

test('earlier payments and payouts have the current names of their agent and wallet, also in exports @lists-58', async () => {
  await pay()
  await account.createPayout({ amount: '1' })
  await listed()
  const rename = async (path: string, body: object) => {
    const reply = await account.asOwner('PUT', path, body)
    expect(reply.status, reply.text).toBe(200)
  }
  await rename(`/agents/${account.agent}`, { name: 'Ada Lovelace', memo: '' })
  await rename(`/wallets/${account.wallet}`, { name: 'Savings' })
  const read = async (path: string) => account.asOwner('GET', path)
  const transactions = (await read('/transactions/user?pageSize=100')).json.data as Transaction[]
  expect(transactions.length).toBeGreaterThan(1)
  expect(new Set(transactions.map(({ agent }) => agent?.name))).toEqual(new Set([undefined, 'Ada Lovelace']))
  expect(new Set(transactions.map(({ fromWallet }) => fromWallet?.name))).toEqual(new Set(['Savings']))
  const payouts = (await read('/escrow/list')).json.data.escrows as Escrow[]
  expect(payouts.map(({ sourceWallet }) => sourceWallet?.name)).toContain('Savings')
  const [header, ...lines] = (await read('/transactions/export')).text.trim().split('\r\n')
  const cells = (name: string) => {
    const column = header!.split(',').indexOf(name)
    return new Set(lines.map((line) => line.split(',')[column]))
  }
  expect(cells('Sender')).toContain('Ada Lovelace')
  expect(cells('Sender')).not.toContain('Agent')
  expect(cells('Wallet name')).toEqual(new Set(['Savings']))
})

test('repeated and older changes do nothing, and a page that leaves out changes is not applied @lists-52', async () => {
  const first = await historyOf(account).position()
  const id = await pay()
  const page = (await treasuryOf(account).changesSince(first, [])).page as ChangePage
  await syncHistory(account)
  const before = await everything()
  const [change] = page.changes.filter(({ ref }) => ref === id)
  const older = { ...page, changes: [{ ...change!, rows: { transactions: [], payout: null, counted: null } }] }
  expect(await historyOf(account).receive(older)).toEqual(before.position)
  expect(await everything()).toEqual(before)
  const seq = before.position.seq + 1
  const gap = { ...older, from: seq, to: { ...page.to, seq: seq + 1 }, changes: [{ ...change!, seq: seq + 1 }] }
  expect(await historyOf(account).receive(gap)).toEqual(before.position)
  expect(await everything()).toEqual(before)
})

test('a History that does not answer stops neither payments nor settling, and catches up @lists-53', async () => {
  const down = {
    position: () => Promise.reject(new Error('History is down')),
  }
  const env = await inTreasury(account, ({ context }) => {
    const { env } = context
    context.env = { ...env, HISTORY: { ...env.HISTORY, getByName: () => down } as never }
    return env
  })
  const id = await pay()
  await runDurableObjectAlarm(treasuryOf(account))
  expect(await rowsOf(account, 'SELECT status FROM payment WHERE id = ?', id)).not.toEqual([])
  expect(await listed()).toContain(id)
  const next = await pay()
  await inTreasury(account, ({ context }) => {
    context.env = env
  })
  await syncHistory(account)
  expect(await historyRows(account, 'SELECT id FROM transaction_view WHERE id = ?', next)).toEqual([{ id: next }])
})

test('figures read as few rows for 20,000 payments as for a few @figures-6', async () => {
  const read = await inHistory('usr_large', (_, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
       INSERT INTO counted (id, chain, wallet_id, at, amount, state, method, recipient, contact_id, name, address)
       SELECT 'pay_' || i, 'base', 'wal_' || i % 5, i, 1, CASE WHEN i % 10 THEN 'confirmed' ELSE 'failed' END, 'address',
         CASE WHEN i % 10 THEN i % 3000 END, NULL, NULL, CASE WHEN i % 10 THEN i % 3000 END FROM n`,
    )
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    const exec: SqlStorage['exec'] = (query, ...values) => {
      const cursor = storage.sql.exec(query, ...values)
      cursors.push(cursor)
      return cursor as never
    }
    const figures = new Rows({ sql: { exec } } as unknown as DurableObjectStorage).figures('base', 19_900 + dayMs)
    return { figures, rows: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) }
  })
  expect(read.figures.totals.reduce((sum, { n }) => sum + n, 0)).toBe(20_000)
  expect(read.figures.failed).toBe(10)
  expect(read.figures.recipients.map(({ lastPaymentId, count }) => [lastPaymentId, count])).toEqual([
    ['pay_19999', 7],
    ['pay_19998', 7],
    ['pay_19997', 7],
    ['pay_19996', 7],
    ['pay_19995', 7],
  ])
  expect(read.rows).toBeLessThan(100)
})

test('operators learn of a History that is large @lists-56', async () => {
  const reported = async () =>
    (await openTroubles(primaryDb(env.DB), 0)).filter(({ subject }) => subject === `history:${account.user}`)
  expect(await reported()).toEqual([])
  await inHistory(account, (history) => {
    history.largeBytes = 1
  })
  await pay()
  await syncHistory(account)
  await until('reported', async () => (await reported()).length > 0)
  expect(await reported()).toMatchObject([
    { kind: 'account_size', userId: account.user, detail: expect.stringContaining(' bytes') },
  ])
})

test('a History that is thousands of changes behind says so instead of showing an incomplete list @lists-54', async () => {
  await rowsOf(
    account,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
     INSERT INTO change (ref) SELECT 'wallet:none' || i FROM n`,
  )
  const refused = await list()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  expect(refused.json.error).toContain('is being rebuilt')
  expect((await list()).status).toBe(200)
})

test('a History ahead of a Treasury that was put back keeps its rows and refuses lists @lists-55', async () => {
  const goBack = await inTreasury(account, ({ context }) => copyTables(context.store))
  const id = await pay()
  expect(await listed()).toContain(id)
  const before = await everything()
  await inTreasury(account, ({ context }) => goBack(context.store))
  const refused = await list()
  expect([refused.status, refused.json.code]).toEqual([503, 'unavailable'])
  await expect(syncHistory(account)).rejects.toThrow('History has changes that were lost here')
  // New payments reach its number again.
  const last = () => inTreasury(account, ({ context }) => lastChange(context.store))
  while ((await last()) <= before.position.seq) await pay()
  expect((await list()).status).toBe(503)
  expect(await everything()).toEqual(before)
})
