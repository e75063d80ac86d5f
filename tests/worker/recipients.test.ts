import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { statusIn } from '../../worker/treasury/storage/statuses.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh, until } from '../support/payer.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)

const check = async (body: object) => (await own.asOwner('POST', '/transactions/recipient-check', body)).json

test('the recipient check reports a new recipient, then earlier payments and a recent payment of the same amount @send-19', async () => {
  const to = fresh('recipient')
  const never = { payments: 0, lastPaidAt: null, sameAmountAt: null, lookAlike: null }
  expect((await check({ toAddress: to, amount: '1' })).data).toEqual(never)
  expect((await own.send({ toAddress: to })).status).toBe(201)
  const { data } = await check({ toAddress: to.toLowerCase(), amount: '1' })
  expect(data).toMatchObject({ payments: 1, lookAlike: null })
  expect(Date.now() - Date.parse(data.sameAmountAt)).toBeLessThan(60_000)
  expect(data.lastPaidAt).toBe(data.sameAmountAt)
  expect((await check({ toAddress: to, amount: '1.000001' })).data).toMatchObject({ payments: 1, sameAmountAt: null })
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

test('the recipient check reads the payment history from indexes @send-25', async () => {
  const plans = await runInDurableObject(env.TREASURY.getByName(own.user), (_, { storage }) =>
    [
      "SELECT count(*) FROM payment WHERE kind = 'send' AND to_address = ? COLLATE NOCASE",
      'SELECT count(*) FROM payment WHERE to_address >= ? COLLATE NOCASE AND to_address < ? COLLATE NOCASE',
      'SELECT count(*) FROM payment WHERE recipient_email = ?',
      'SELECT count(*) FROM payment WHERE recipient_phone = ?',
    ].map((query) => {
      const values = Array<string>(query.split('?').length - 1).fill('0xabc')
      return storage.sql
        .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query} AND +status IN ${statusIn.alive}`, ...values)
        .toArray()[0]?.detail
    }),
  )
  expect(plans).toEqual([
    expect.stringContaining('INDEX payment_to_address (to_address=?)'),
    expect.stringContaining('INDEX payment_to_address (to_address>? AND to_address<?)'),
    expect.stringContaining('INDEX payment_recipient_email'),
    expect.stringContaining('INDEX payment_recipient_phone'),
  ])
})
