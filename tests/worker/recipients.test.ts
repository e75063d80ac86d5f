import { expect, test } from 'vitest'
import type { Address } from '../../worker/chain/types.ts'
import { microUsdc } from '../../worker/domain/money.ts'
import { checksumAddress } from '../../worker/domain/validators.ts'
import { Store } from '../../worker/treasury/core/storage/store.ts'
import { recipientHistory } from '../../worker/treasury/payments/queries.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh, until } from '../support/payer.ts'
import { inTreasury, rowsOf } from '../support/treasuries.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)

const check = async (body: object) => (await own.asOwner('POST', '/transactions/recipient-check', body)).json

test('the recipient check reports a new recipient, then earlier payments and a recent payment of the same amount @send-19', async () => {
  const to = fresh('recipient')
  const never = { payments: 0, lastPaidAt: null, sameAmountAt: null, lookAlike: null }
  expect((await check({ toAddress: to, amount: '1' })).data).toEqual({ ...never, unused: true })
  expect((await own.send({ toAddress: to })).status).toBe(201)
  const { data } = await check({ toAddress: to.toLowerCase(), amount: '1' })
  expect(data).toMatchObject({ payments: 1, lookAlike: null })
  expect(Date.now() - Date.parse(data.sameAmountAt)).toBeLessThan(60_000)
  expect(data.lastPaidAt).toBe(data.sameAmountAt)
  expect((await check({ toAddress: to, amount: '1.000001' })).data).toMatchObject({ payments: 1, sameAmountAt: null })
})

test('the recipient check says that nobody has used an address, unless it was paid or holds money @send-38', async () => {
  const unused = async (toAddress: string) =>
    (await check({ toAddress, amount: '1', walletId: own.wallet })).data.unused
  expect(await unused(fresh('nobody'))).toBe(true)
  expect(await unused(own.walletAddress), 'a contract that holds USDC').toBe(false)
  const paid = fresh('somebody')
  await own.send({ toAddress: paid })
  expect(await unused(paid), 'was paid by this account').toBeNull()
  expect((await check({ recipientEmail: 'nobody@example.com', amount: '1' })).data.unused).toBeNull()
})

test('payments to burn addresses and precompiles are refused @send-39', async () => {
  const burnt = ['0x000000000000000000000000000000000000dEaD', `0x${'0'.repeat(39)}1`, `0x${'1234567890'.repeat(4)}`]
  const error = 'Nobody has the key of this address, so a payment to it would be lost.'
  for (const toAddress of burnt)
    expect(await own.send({ toAddress }), toAddress).toMatchObject({ status: 400, json: { field: 'toAddress', error } })
})

test('a refused payment does not count in the recipient check @send-20', async () => {
  const to = fresh('refused')
  expect((await own.send({ toAddress: to, amount: '9999' })).status).toBe(422)
  expect((await check({ toAddress: to, amount: '9999' })).data).toMatchObject({ payments: 0, sameAmountAt: null })
})

test('the recipient check reports an address that looks like one paid before @send-21', async () => {
  const to = fresh('paid').toLowerCase()
  await own.send({ toAddress: to })
  const twin = `${to.slice(0, 6)}${'0'.repeat(32)}${to.slice(-4)}`
  expect((await check({ toAddress: twin, amount: '1' })).data.lookAlike.toLowerCase()).toBe(to)
  expect((await check({ toAddress: `0x${'f'.repeat(37)}${to.slice(-3)}`, amount: '1' })).data.lookAlike).toBeNull()
})

test('the recipient check counts payouts by email and phone @send-22', async () => {
  const create = (to: object) =>
    own.asOwner('POST', '/escrow/create', { sourceWalletId: own.wallet, amount: '1', ...to })
  expect((await create({ recipientEmail: 'Dora@example.com' })).status).toBe(201)
  expect((await check({ recipientEmail: 'dora@EXAMPLE.com', amount: '1' })).data).toMatchObject({ payments: 1 })
  expect((await check({ recipientEmail: 'else@example.com', amount: '1' })).data).toMatchObject({ payments: 0 })
  expect((await create({ recipientPhone: '+14155550123' })).status).toBe(201)
  expect((await check({ recipientPhone: '+1 415 555 0123', amount: '1' })).data).toMatchObject({ payments: 1 })
})

test.each([[{}], [{ amount: '1' }], [{ toAddress: '0x1', amount: '1' }], [{ amount: 1, recipientEmail: 'a@b.test' }]])(
  'a recipient check of %j is refused @send-23',
  async (body) => expect(await check(body)).toMatchObject({ success: false, code: 'invalid_input' }),
)

test('a payment is labeled with its contact, and refused if the contact has another address @send-24', async () => {
  const address = fresh('contact')
  const make = async (body: object) => (await own.asOwner('POST', '/contacts', body)).json.data.id as string
  const contactId = await make({ name: 'Dora', address, email: 'dora@example.com' })
  const sent = await own.send({ toAddress: address.toLowerCase(), contactId })
  expect(sent.status, sent.text).toBe(201)
  const view = async (id: string) => (await own.asOwner('GET', `/transactions/${id}`)).json.data
  expect(await view(sent.json.data.id)).toMatchObject({
    category: 'contact',
    contactId,
    contact: { name: 'Dora' },
    toAddress: address,
  })
  const body = { sourceWalletId: own.wallet, amount: '1', recipientEmail: 'dora@example.com', contactId }
  const payout = await own.asOwner('POST', '/escrow/create', body)
  expect(await view(payout.json.data.id)).toMatchObject({
    category: 'escrow',
    contactId,
    recipientEmail: 'dora@example.com',
  })

  expect(await own.send({ toAddress: fresh('elsewhere'), contactId })).toMatchObject({
    status: 409,
    json: { field: 'contactId', error: 'Dora has changed in the meantime. Choose the contact again.' },
  })
  await until('rest', async () => (await view(sent.json.data.id)).status === 'CONFIRMED')
})

test('what is known about a recipient takes at most 100 rows to read, however often it was paid @send-25', async () => {
  const [busy, twin] = ['1', '2'].map((digit) => `0xabc${digit.repeat(34)}def` as const) as [Address, Address]
  const email = 'busy@example.com'
  const read = await inTreasury(own, async ({ context }, { storage: { sql } }) => {
    // 6,000 payments, of which some failed; to the recipient itself, and to addresses with the same beginning.
    sql.exec(`INSERT INTO payment (id, kind, wallet_id, to_type, to_address, recipient_email, amount, status, created_at, accepted_at, give_up_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      SELECT 'busy' || i, iif(i % 3, 'send', 'payout'), '${own.wallet}', iif(i % 3, 'address', 'email'),
        iif(i % 3 = 1, '${busy}', '${busy.slice(0, 5)}' || printf('%037d', i)), iif(i % 3, NULL, '${email}'), i % 2 + 1,
        iif(i % 5, 'CONFIRMED', 'FAILED'), 1, 1, 0 FROM n`)
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    const counted = new Proxy(sql, {
      get: (target, key) =>
        key !== 'exec'
          ? Reflect.get(target, key)
          : (query: string, ...values: SqlStorageValue[]) => {
              const cursor = target.exec(query, ...values)
              cursors.push(cursor)
              return cursor
            },
    })
    const store = new Store({ sql: counted } as DurableObjectStorage, () => {})
    const all = []
    for (const to of [{ toAddress: busy }, { toAddress: twin }, { recipientEmail: email }]) {
      cursors.length = 0
      const { unused: _, ...history } = await recipientHistory({ ...context, store }, { ...to, amount: microUsdc(1n) })
      all.push({ ...history, rows: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) })
    }
    return all
  })
  expect(read).toEqual([
    { payments: 1600, lastPaidAt: expect.any(String), sameAmountAt: null, lookAlike: null, rows: expect.any(Number) },
    { payments: 0, lastPaidAt: null, sameAmountAt: null, lookAlike: checksumAddress(busy), rows: expect.any(Number) },
    { payments: 1600, lastPaidAt: expect.any(String), sameAmountAt: null, lookAlike: null, rows: expect.any(Number) },
  ])
  expect(Math.max(...read.map(({ rows }) => rows))).toBeLessThanOrEqual(100)
  const isPayout = 'EXPLAIN QUERY PLAN SELECT 1 FROM payout WHERE address = ? COLLATE NOCASE'
  expect(await rowsOf(own, isPayout, busy)).toMatchObject([{ detail: expect.stringMatching(/^SEARCH/) }])
})
