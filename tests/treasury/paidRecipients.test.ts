/** The table of paid recipients: what it counts, and what the owner reads from it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookAlikeOf } from '../../worker/treasury/core/storage/paidRecipients.ts'
import { statusIn } from '../../worker/treasury/core/storage/statuses.ts'
import { recipientHistory } from '../../worker/treasury/payments/queries.ts'
import { contactId, createApprovalBook } from '../support/approvalBook.ts'
import { addressOf, usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { createMemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow } from '../support/rows.ts'

const paid = '0x52908400098527886E0F7030069857D2E4169EE7'
const twin = '0x529084111111111111111111111111111A169Ee7'.toLowerCase() as `0x${string}`
const toTwin = { type: 'address', address: twin } as const
const toPaid = { type: 'address', address: paid } as const
const toEmail = { type: 'email', email: 'ada@example.com' } as const

test('the table counts what the payments say, after any sequence of inserts and changes of status', () => {
  const statuses = ['PENDING_APPROVAL', 'QUEUED', 'PROCESSING', 'PENDING', 'CONFIRMED', 'FAILED', 'CANCELLED'] as const
  const targets = [
    { to_address: addressOf(1) },
    { to_address: addressOf(0xabc), recipient_email: null },
    { to_address: `0x${addressOf(0xabc).slice(2).toUpperCase()}` as const },
    { kind: 'payout' as const, to_address: addressOf(2), recipient_email: 'ada@example.com' },
    { kind: 'payout' as const, to_address: addressOf(3), recipient_phone: '+14155550123' },
  ]
  const step = fc.record({
    id: fc.nat(5),
    status: fc.constantFrom(...statuses),
    target: fc.constantFrom(...targets),
    at: fc.nat(100),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { store, close } = createMemoryTreasury(1n, 1n)
      for (const { id, status, target, at } of steps)
        if (!store.update('payment', `p${id}`, { status }))
          store.insert('payment', paymentRow({ id: `p${id}`, status, ...target, accepted_at: at }))
      const counted = store.all(
        `SELECT CASE WHEN payment.kind = 'send' THEN lower(to_address) ELSE coalesce(recipient_email, recipient_phone) END AS recipient,
           chain_id, count(*) AS payments FROM payment JOIN wallet ON wallet.id = wallet_id
         WHERE payment.status IN ${statusIn.alive} GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      const kept = store.all('SELECT recipient, chain_id, payments FROM paid_recipient ORDER BY recipient, chain_id')
      close()
      expect(kept).toEqual(counted)
    }),
    { numRuns: cases(100) },
  )
})

test('the approval of a look-alike says which paid address it looks like, and that it is new @approvals-33', () => {
  const book = createApprovalBook({ approveAbove: usdc('10') })
  const agent = book.addAgent()
  expect(book.ask(agent, toPaid, usdc('1')).ok).toBe(true)
  const row = book.asked(agent, toTwin, usdc('20'))
  expect(book.view(row.id).recipientHistory).toEqual({ payments: 0, lookAlike: paid })
  expect(book.view(book.asked(agent, toPaid, usdc('20')).id).recipientHistory).toEqual({ payments: 1, lookAlike: null })
  expect(book.view(book.asked(agent, toEmail, usdc('20')).id).recipientHistory).toEqual({
    payments: 0,
    lookAlike: null,
  })
  const toContact = { type: 'contact', contactId } as const
  expect(book.view(book.asked(agent, toContact, usdc('20')).id).recipientHistory?.payments).toBe(0)
  book.approve(row.id)
  expect(book.view(row.id).recipientHistory, 'once it has ended').toBeNull()
})

test('a fact about the recipient that has changed since it was shown makes the decision a conflict @approvals-34', () => {
  const book = createApprovalBook({ approveAbove: usdc('10') })
  const agent = book.addAgent()
  const row = book.asked(agent, toTwin, usdc('20'))
  const conflict = (hash: string, what: string) => {
    expect(book.approve(row.id, { hash }), what).toMatchObject({ code: 'conflict', field: 'hash' })
    expect(book.store.approval(row.id)!.status).toBe('PENDING')
  }
  const first = book.view(row.id).hash
  expect(book.ask(agent, toPaid, usdc('1')).ok).toBe(true)
  conflict(first, 'it now looks like a paid address')
  const second = book.view(row.id).hash
  expect(book.ask(agent, toTwin, usdc('1')).ok).toBe(true)
  conflict(second, 'it is no longer the first payment')
  const third = book.view(row.id)
  expect(third.recipientHistory).toEqual({ payments: 1, lookAlike: paid })
  // A payment that failed was none.
  book.store.run("UPDATE payment SET status = 'FAILED' WHERE to_address = ?", paid)
  conflict(third.hash, 'it no longer looks like a paid address')
  expect(book.approve(row.id)).toMatchObject({ ok: true })
})

test('ten payments count as many, so that paying a busy recipient does not stop its approval', () => {
  const book = createApprovalBook({ approveAbove: usdc('10') })
  const agent = book.addAgent()
  const row = book.asked(agent, toPaid, usdc('20'))
  for (let i = 0; i < 10; i++) expect(book.ask(agent, toPaid, usdc('1')).ok).toBe(true)
  const { hash, recipientHistory } = book.view(row.id)
  expect(recipientHistory).toEqual({ payments: 10, lookAlike: null })
  expect(book.ask(agent, toPaid, usdc('2')).ok).toBe(true)
  expect(book.approve(row.id, { hash })).toMatchObject({ ok: true })
})

test('a payment on another network neither makes a recipient known nor hides a look-alike', async () => {
  const book = createApprovalBook({ approveAbove: usdc('10') })
  const agent = book.addAgent()
  const { store, context } = book
  const sepolia = { ...store.wallet('wal')!, id: 'test', chain_id: 84532 as const, address: addressOf(0x99) }
  store.insert('wallet', sepolia)
  store.insert('payment', paymentRow({ id: 'p', wallet_id: 'test', to_address: paid }))
  expect(book.view(book.asked(agent, toPaid, usdc('20')).id).recipientHistory?.payments).toBe(0)
  expect(book.view(book.asked(agent, toTwin, usdc('20')).id).recipientHistory?.lookAlike).toBe(paid)
  expect(await recipientHistory(context, { toAddress: paid, amount: usdc('1') })).toMatchObject({ payments: 1 })
})

test('of two addresses that look alike, each is found for the other, also if a seller was paid there', () => {
  const { store, close } = createMemoryTreasury(1n, 1n)
  const lookAlike = (address: string) => lookAlikeOf(store, address)?.toLowerCase() ?? null
  const hosts = ['a.example', 'b.example']
  for (const seller of hosts)
    store.insert(
      'payment',
      paymentRow({ id: seller, kind: 'x402', seller, to_address: paid, resource: 'GET https://x' }),
    )
  expect([lookAlike(paid), lookAlike(twin)]).toEqual([null, paid.toLowerCase()])
  store.insert('payment', paymentRow({ id: 'twin', to_address: twin }))
  expect([lookAlike(paid), lookAlike(twin)]).toEqual([twin, paid.toLowerCase()])
  close()
})
