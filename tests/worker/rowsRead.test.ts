/**
 * How many rows a decision about money reads from a Treasury with thousands of them. SQLite in workerd counts them. None may
 * read more than 100, however many payments there are.
 */

import { beforeAll, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import { addressTopic, nonceTopic, topics } from '../../worker/chain/calls.ts'
import type { Address, Hex, Log } from '../../worker/chain/types.ts'
import { nonceOf } from '../../worker/domain/intent.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { knownRecipients } from '../../worker/treasury/core/knownRecipients.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { audit } from '../../worker/treasury/ledger/audit.ts'
import { reserve } from '../../worker/treasury/ledger/ledger.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { check } from '../../worker/treasury/payments/check.ts'
import { eraseSentCodes } from '../../worker/treasury/payments/payouts/codes.ts'
import { nextExpiryAt } from '../../worker/treasury/payments/payouts/expiry.ts'
import { refusalsOf } from '../../worker/treasury/policies/views.ts'
import { book, type Reading } from '../../worker/treasury/settlement/booking.ts'
import { markActive, recordRead } from '../../worker/treasury/wallets/idleReads.ts'
import { addressOf, gatheredFor, type PayFields, payInput, toEmail, usdc } from '../support/build.ts'
import { createPayer, manualChain, type Payer, prepare } from '../support/payer.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'
import { inTreasury } from '../support/treasuries.ts'

const many = 3_000
const most = 100
/** Paid thousands of times. */
const shop = addressOf(7)
/** Refused thousands of times, and never paid. */
const unpaid = addressOf(8)
const payoutAt = (i: number) => addressOf(100_000 + i)
let payer: Payer

beforeAll(async () => {
  await prepare()
  payer = await createPayer({ on: manualChain, funds: '1000000', limit: '1000000' })
  await payer.ledger()
  await inTreasury(payer, ({ context }) => fill(context))
})

const agentOf = () => payer.principals[0] as Extract<Principal, { type: 'agent' }>
const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Thousands of payments and payouts of every kind, most of them to one recipient within the last hour. */
function fill({ store, now }: Context): void {
  const wallet = payer.wallet.id
  store.run(`UPDATE policy_group SET rules = '{"approveNewRecipient":true,"duplicateMinutes":1440}'`)
  store.run('UPDATE session SET spend_limit = 1000000000000')
  const at = now()
  const base = { wallet_id: wallet, group_id: payer.group.id, agent_id: agentOf().agentId, epoch: 1 } as const
  const byEmail = { to_type: 'email', recipient_email: 'ada@example.com', kind: 'payout' } as const
  const insert = (id: string, over: Parameters<typeof paymentRow>[0] extends infer R ? Partial<R> : never) =>
    store.insert('payment', paymentRow({ ...base, ...over, id }))
  store.transaction(() => {
    for (let i = 0; i < many; i++) {
      const accepted = { created_at: at - i * 1_000, accepted_at: at - i * 1_000 }
      const early = { created_at: at - 2 * dayMs - i, accepted_at: at - 2 * dayMs - i }
      const refused = { status: 'POLICY_REJECTED', created_at: at - i, accepted_at: null, refusal: '{}' } as const
      // Within the time of the duplicate rule: 5 USDC again and again, and other amounts once. 1 USDC was paid before it.
      insert(`pay_a${i}`, {
        ...accepted,
        to_address: shop,
        confirmed_at: at,
        sequence: 1_000 + i,
        amount: i % 2 ? 2_000_000 + i : 5_000_000,
      })
      insert(`pay_b${i}`, { ...early, to_address: shop, confirmed_at: at, sequence: 10_000 + i })
      insert(`pay_c${i}`, { ...accepted, to_address: shop, status: 'CANCELLED' })
      insert(`pay_d${i}`, { ...refused, to_address: shop })
      insert(`pay_e${i}`, { ...refused, to_address: unpaid })
      insert(`pay_f${i}`, { ...accepted, ...byEmail, status: 'PENDING', amount: 3_000_000 + i })
      insert(`pay_g${i}`, { ...refused, ...byEmail })
      const expires_at = at + dayMs + i
      store.insert(
        'payout',
        payoutRow({
          id: `pay_f${i}`,
          wallet_id: wallet,
          address: payoutAt(i),
          payer: payer.wallet.address as Address,
          payout_hash: word(i + 1),
          sealed_code: i % 2 ? 'sealed' : null,
          code_until: at + minuteMs,
          expires_at,
          expiry: Math.floor(expires_at / 1_000),
          amount: 3_000_000 + i,
          funded: 1,
          status: i < 2 ? 'CREATING' : 'CREATED',
          announced: i < 2 ? 0 : 1,
        }),
      )
      const seq = store.first<{ seq: number }>('SELECT max(seq) + 1 AS seq FROM audit')!.seq
      const line = { seq, at, event: 'payment.accepted', ref: `pay_a${i}`, data: '{}', previous: '', hash: '' }
      const actor = { by: 'x', via: null, shown: null }
      store.insert('audit', { ...line, ...actor })
      store.run('INSERT INTO known_recipient (address) VALUES (?)', `84532:${addressOf(500_000 + i)}`)
      store.insert('idempotency', { key: `${i}`, fingerprint: '', kind: 'payment', ref: '', created_at: 0 })
      store.run('INSERT INTO booked_log (wallet_id, block, log_index) VALUES (?, ?, 0)', wallet, 1_000_000 + i)
    }
    for (let i = 0; i < 200; i++) {
      const counted = [Math.floor(at / dayMs), 'email', `person${i}@example.com`, '', 1]
      store.run('INSERT INTO sent_message (day, channel, recipient, principal, count) VALUES (?,?,?,?,?)', ...counted)
      store.insert('notice', {
        seq: 100_000 + i,
        at,
        event: 'payment.refused',
        ref: `pay_d${i}`,
        about: `agt_${i}`,
        times: 1,
      })
    }
    // What is booked below was reserved.
    store.run('UPDATE policy_group SET held = 1000000000, unclaimed = 1000000000')
    store.run('UPDATE agent SET held = 1000000000')
    const sent = { walletId: wallet, epoch: 1, group: null, agentId: null, amount: usdc('1'), isPayout: false }
    reserve(store, sent, 0, at)
    insert('pay_sent', {
      agent_id: null,
      group_id: null,
      status: 'PROCESSING',
      sequence: 5,
      to_address: shop,
      accepted_at: at,
    })
    insert('pay_queued', { status: 'QUEUED', to_address: shop, accepted_at: at, amount: 7_000_000 })
    reserve(store, { ...sent, agentId: agentOf().agentId, amount: usdc('7') }, 0, at)
  })
}

/** Runs `work` without anything in memory, and adds up the rows that it reads. */
function countRows<T>(
  state: DurableObjectState,
  ctx: Context,
  work: () => T,
): { rows: number; statements: number; most: string; result: T } {
  const { sql } = state.storage
  const { exec } = sql
  const cursors: { query: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[] = []
  const counting = (query: string, ...values: SqlStorageValue[]) => {
    const cursor = exec.call(sql, query, ...values)
    cursors.push({ query, cursor })
    return cursor
  }
  knownRecipients(ctx).clear()
  const forget = () => {
    throw new Error('a rollback forgets what is in memory')
  }
  expect(() => ctx.store.transaction(forget)).toThrow('rollback')
  sql.exec = counting as typeof exec
  try {
    const result = work()
    const read = cursors.map(({ query, cursor }) => ({ query, rows: cursor.rowsRead }))
    const { query, rows } = read.toSorted((a, b) => b.rows - a.rows)[0]!
    const statements = read.length
    return { rows: read.reduce((sum, each) => sum + each.rows, 0), statements, most: `${rows} by ${query}`, result }
  } finally {
    Reflect.deleteProperty(sql, 'exec')
  }
}

const pay = (ctx: Context, fields: PayFields) => {
  const input = payInput({ principal: agentOf(), ...fields })
  const result = accept(ctx, input, gatheredFor(input))
  if ('need' in result) return result.need
  return result.ok ? result.value.payment.status : result.code
}
const to = (address: Address) => ({ to: { type: 'address', address } as const })

/** A transfer in a later block than those that were read, and its place. */
let block = 2_000_000
const transfer = (from: Address, to: Address, value: number | bigint): Log => ({
  address: manualChain.contracts.usdc,
  topics: [topics.transfer, addressTopic(from), addressTopic(to)],
  data: word(value),
  blockNumber: ++block,
  blockHash: word(block),
  transactionHash: word(block),
  logIndex: 1,
})
const walletOf = () => payer.wallet.address as Address
const bookLogs = (ctx: Context, reading: Partial<Reading>) =>
  ctx.store.transaction(() =>
    book(ctx, ctx.store.wallet(payer.wallet.id)!, { own: [], transfers: [], announced: [], dust: [], ...reading }),
  )
const statusOf = (ctx: Context, id: string) => ctx.store.payment(id)!.status
const payoutOf = (ctx: Context, i: number) => ctx.store.payout(`pay_f${i}`)!

const decisions: [name: string, expected: unknown, work: (ctx: Context) => unknown][] = [
  ['a payment to a known recipient', 'QUEUED', (ctx) => pay(ctx, { ...to(shop), amount: usdc('1') })],
  ['a repeated payment', 'PENDING_APPROVAL', (ctx) => pay(ctx, { ...to(shop), amount: usdc('2.000001') })],
  [
    'a payment that was made thousands of times',
    'PENDING_APPROVAL',
    (ctx) => pay(ctx, { ...to(shop), amount: usdc('5') }),
  ],
  ['a payment to a new recipient', 'PENDING_APPROVAL', (ctx) => pay(ctx, { ...to(unpaid), amount: usdc('1') })],
  ['a payout', 'QUEUED', (ctx) => pay(ctx, { to: toEmail('ada@example.com'), amount: usdc('1') })],
  ['a payment above the budget', 'budget_exceeded', (ctx) => pay(ctx, { ...to(shop), amount: usdc('2000000') })],
  ['a payment to a payout', 'invalid_input', (ctx) => pay(ctx, to(payoutAt(9)))],
  [
    'a payment by the owner',
    'QUEUED',
    (ctx) => pay(ctx, { principal: { type: 'user' }, wallet: payer.wallet.id, ...to(shop) }),
  ],
  [
    'a dry run',
    true,
    (ctx) => {
      const asked = { ...to(shop), amount: usdc('1') } as unknown as Parameters<typeof check>[2]
      const result = check(ctx, agentOf(), asked, gatheredFor(payInput(to(shop))))
      return !('need' in result) && result.ok
    },
  ],
  ['a cancellation', true, (ctx) => cancelPayment(ctx, agentOf(), 'pay_queued').ok],
  [
    'the booking of a payment',
    'CONFIRMED',
    (ctx) => {
      const log = transfer(walletOf(), shop, usdc('1'))
      const nonce = { ...log, address: walletOf(), topics: [nonceTopic(nonceOf(1, 5))], data: '0x', logIndex: 0 } as Log
      bookLogs(ctx, { own: [nonce], transfers: [log] })
      return statusOf(ctx, 'pay_sent')
    },
  ],
  [
    'the booking of a deposit',
    undefined,
    (ctx) => bookLogs(ctx, { transfers: [transfer(shop, walletOf(), usdc('5'))] }),
  ],
  [
    'the booking of an announcement',
    'CREATED',
    (ctx) => {
      const log = { ...transfer(shop, shop, 0n), topics: [topics.payoutAnnounced, word(1)] as Hex[] }
      bookLogs(ctx, { announced: [log] })
      return payoutOf(ctx, 0).status
    },
  ],
  [
    'the booking of a claim',
    'WITHDRAWN',
    (ctx) => {
      bookLogs(ctx, { transfers: [transfer(payoutAt(10), shop, 3_000_010)] })
      return payoutOf(ctx, 10).status
    },
  ],
  [
    'the booking of a return',
    'RECLAIMED',
    (ctx) => {
      bookLogs(ctx, { transfers: [transfer(payoutAt(11), walletOf(), 3_000_011)] })
      return payoutOf(ctx, 11).status
    },
  ],
  ['when the next payout expires', 'number', (ctx) => typeof nextExpiryAt(ctx)],
  ['the erasure of codes', undefined, eraseSentCodes],
  ['the refusals of an agent', 20, (ctx) => (refusalsOf(ctx, agentOf().agentId) as { value: unknown[] }).value.length],
  [
    'a reading of an idle wallet',
    undefined,
    (ctx) => {
      markActive(ctx, payer.wallet.id)
      recordRead(ctx, payer.wallet.id, { balance: 1n })
    },
  ],
]

test.each(decisions)('%s reads at most 100 rows @queries-1', async (_, expected, work) => {
  const { rows, worst, result } = await inTreasury(payer, ({ context }, state) => {
    const { rows, most: worst, result } = countRows(state, context, () => work(context))
    return { rows, worst, result }
  })
  expect(result).toEqual(expected)
  expect(rows, worst).toBeLessThanOrEqual(most)
  expect(rows).toBeGreaterThan(0)
})

test('a limit above which a second person is needed costs a payment two statements and at most 100 rows @second-person-5', async () => {
  const [without, with_] = await inTreasury(payer, ({ context }, state) => {
    const { store, now, userId } = context
    const paid = (amount: string) =>
      countRows(state, context, () => pay(context, { ...to(shop), amount: usdc(amount) }))
    const before = paid('1.5')
    store.secondPerson = { above: usdc('1000000'), next: null }
    const period = Math.floor(now() / (15 * minuteMs))
    for (let i = 0; i < 200; i++) store.insert('alone_spent', { person: userId, period: period - i, amount: 1 })
    const after = paid('1.6')
    store.secondPerson = { above: null, next: null }
    return [before, after]
  })
  expect([without!.result, with_!.result]).toEqual(['QUEUED', 'QUEUED'])
  expect(with_!.statements - without!.statements).toBeLessThanOrEqual(2)
  expect(with_!.rows - without!.rows).toBeLessThanOrEqual(100)
})

test('an event whose optional values are null reads no more than what looks for its place @queries-4', async () => {
  const { rows, worst } = await inTreasury(payer, ({ context }, state) => {
    const { store, now } = context
    const { rows, most: worst } = countRows(state, context, () => audit(store, now(), 'payment.accepted', 'pay_null'))
    return { rows, worst }
  })
  // The last row of the log, and the place of the next.
  expect(rows, worst).toBe(2)
})
