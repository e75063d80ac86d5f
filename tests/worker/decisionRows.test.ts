/**
 * How many rows a Treasury reads for one call that decides about money, and how many one query of any other call reads, after
 * thousands of payments, payouts, refusals and approvals. SQLite in workerd counts them. Reading the wallet from the chain is
 * no part of it: that needs the addresses of all open payouts, and before a refusal for the budget it is done only if the last
 * reading is 2 s old.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { pruneApprovals } from '../../worker/treasury/approvals/end.ts'
import { knownRecipients } from '../../worker/treasury/core/knownRecipients.ts'
import { isOpenPayout } from '../../worker/treasury/core/storage/statuses.ts'
import type { Rows } from '../../worker/treasury/core/storage/tableRows.ts'
import { nextExpiryAt } from '../../worker/treasury/payments/payouts/expiry.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { deliverableActions, openActions, recentActions } from '../../worker/treasury/wallets/actions/actions.ts'
import { isChanging } from '../../worker/treasury/wallets/actions/sessionChange.ts'
import {
  agentInput,
  agentPrincipal,
  groupInput,
  owner,
  type PayFields,
  toAddress,
  toEmail,
  usdc,
} from '../support/build.ts'
import { createPayer, fresh, type Payer, prepare } from '../support/payer.ts'
import { inTreasury, runStep } from '../support/treasuries.ts'

const most = 100
/** Of one query of a call that only reads: a few milliseconds. */
const mostShown = 2_000
/** By settling: a payout that changed its status between two queries could be missed, and its logs with it. */
const readAtOnce = `SELECT * FROM payout WHERE wallet_id = ? AND ${isOpenPayout}`
const many = 4_000
const shop = toAddress(7)
const decider = { userId: 'usr_owner', name: 'Ann', sessionId: 'ses_1', passwordAt: 0 }
/** Its group has a daily budget, all of whose payments were made on earlier days. */
const daily = agentPrincipal('agt_daily')
let payer: Payer

beforeAll(async () => {
  await prepare()
  payer = await createPayer({ funds: '1000', limit: '1000' })
  await payer.ledger()
  // Session key and head are in memory from here on, so that payments are signed at once.
  await payer.final(unwrap(await payer.pay()).payment.id)
  const limits = { periodBudget: { period: 'day', limit: usdc('100') } } as const
  const group = unwrap(await payer.policies().createGroup(groupInput({ walletId: payer.wallet.id, limits })))
  unwrap(await payer.policies().createAgent(agentInput({ id: daily.agentId, policyGroupId: group.id })))
  await inTreasury(payer, (treasury) => fill(treasury, group.id))
})

type Columns<Table extends keyof Rows> = { [Column in keyof Rows[Table]]?: string | number }

/** Writes `many` rows. Texts are SQL, with the row's number as `i`. */
function insertMany<Table extends keyof Rows>({ context: { store } }: Treasury, table: Table, columns: Columns<Table>) {
  store.run(
    `INSERT INTO ${table} (${Object.keys(columns)}) WITH RECURSIVE row (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM row WHERE i < ?)
     SELECT ${Object.values(columns)} FROM row`,
    many,
  )
}

const text = (value: string) => `'${value}'`
const addressSql = (first: number) => `printf('0x%040X', ${first} + i)`

async function fill(treasury: Treasury, dailyGroup: string): Promise<void> {
  const { context } = treasury
  const { store } = context
  // Alarms would book and sign meanwhile.
  context.schedule = () => {}
  store.run(
    `UPDATE policy_group SET rules = '{"approveAbove":"5","duplicateMinutes":10}' WHERE rules NOT LIKE '%periodBudget%'`,
  )
  store.run(
    "UPDATE policy_group SET windows = json_replace(windows, '$.periodBudget.newest', 0) WHERE rules LIKE '%periodBudget%'",
  )
  // The wallet has just been read, however slow the machine is.
  const now = context.now()
  context.now = () => now
  await context.chainReads.refresh(store.wallet(payer.wallet.id)!)
  const wallet_id = text(payer.wallet.id)
  const group_id = text(payer.group.id)
  const agent_id = text((payer.principals[0] as typeof daily).agentId)
  const payment = { wallet_id, group_id, agent_id, to_type: text('address'), amount: 1_000_000, give_up_at: 0 }
  const lastYear = `${now} - 2 * ${dayMs} - i * 60000`
  const paid = { ...payment, kind: text('send'), status: text('CONFIRMED'), confirmed_at: now }
  const accepted = { created_at: lastYear, accepted_at: lastYear }
  const shopSql = text(shop.address)
  // One recipient was paid the same every minute, and other amounts within the last ten minutes.
  insertMany(treasury, 'payment', { ...paid, ...accepted, id: "'pay_a' || i", to_address: shopSql })
  const recent = { created_at: `${now} - i`, accepted_at: `${now} - i`, amount: '2000000 + i', reference: text('same') }
  insertMany(treasury, 'payment', { ...paid, ...recent, id: "'pay_b' || i", to_address: shopSql })
  const ofDaily = { group_id: text(dailyGroup), agent_id: text(daily.agentId) }
  insertMany(treasury, 'payment', { ...paid, ...accepted, ...ofDaily, id: "'pay_c' || i", to_address: addressSql(1) })
  // Thousands of hosts are paid at one address.
  const bought = { kind: text('x402'), to_type: text('x402'), seller: "'h' || i || '.example'", to_address: shopSql }
  insertMany(treasury, 'payment', { ...paid, ...accepted, ...bought, id: "'pay_h' || i" })
  const refused = { ...payment, kind: text('send'), status: text('POLICY_REJECTED'), refusal: text('{}') }
  insertMany(treasury, 'payment', { ...refused, id: "'pay_d' || i", created_at: `${now} - i`, to_address: shopSql })

  const byEmail = { kind: text('payout'), to_type: text('email'), recipient_email: "'p' || i || '@example.com'" }
  insertMany(treasury, 'payment', { ...payment, ...accepted, ...byEmail, id: "'pay_p' || i", status: text('PENDING') })
  const keys = { claim_key: text(''), reclaim_key: text(''), payer: text(payer.wallet.address) }
  const code = {
    sealed_token: text(''),
    token_hash: "'token' || i",
    code_until: `${now} + ${dayMs} + i`,
    code_at: 0,
    sealed_code: "iif(i % 2, NULL, 'v1.sealed')",
  }
  insertMany(treasury, 'payout', {
    ...{ ...keys, ...code, wallet_id, id: "'pay_p' || i", address: addressSql(1_000_000), payout_hash: "'0x' || i" },
    ...{
      amount: 1_000_000,
      expiry: 4_000_000_000,
      expires_at: `${now} + 30 * ${dayMs} + i`,
      secret_version: 1,
      contract_set: 1,
    },
    ...{
      status: "iif(i % 4, 'CREATED', 'WITHDRAWN')",
      done_at: `iif(i % 4, NULL, ${now} - i)`,
      funded: 1,
      announced: 1,
      created_at: 0,
      updated_at: 0,
    },
  })

  // Renewals of the purchase allowance, 12 a day for a year, and sessions that were offered to the owner and never signed.
  insertMany(treasury, 'wallet_action', {
    ...{
      id: "'act_' || i",
      wallet_id,
      kind: "iif(i % 9, 'rotate', 'setSession')",
      status: "iif(i % 9, 'done', 'offered')",
    },
    ...{
      key_address: addressSql(2_000_000),
      spend_limit: 1_000_000,
      created_at: `${now} - 2 * ${dayMs} - i * 7200000`,
    },
    ...{ ended_at: `iif(i % 9, ${now} - 2 * ${dayMs} - i * 7200000, NULL)`, done_block: 'iif(i % 9, 1, NULL)' },
  })

  const notPaid = { ...payment, kind: text('send'), status: text('CANCELLED'), created_at: lastYear }
  insertMany(treasury, 'payment', { ...notPaid, id: "'pay_r' || i", to_address: shopSql })
  insertMany(treasury, 'approval', {
    ...{
      id: "'apr_' || i",
      kind: text('payment'),
      status: "iif(i % 2, 'DENIED', 'APPROVED')",
      payment_id: "'pay_r' || i",
    },
    ...{
      agent_id,
      group_id,
      credential_hash: text(''),
      amount: 1_000_000,
      rules: text('[]'),
      same_request: "'same' || i % 9",
    },
    ...{ asked_at: `${now} - ${dayMs} - i`, expires_at: now, ended_at: `${now} - ${dayMs} - i` },
  })
}

const counted = new AsyncLocalStorage<{ query: string; cursor: SqlStorageCursor<Record<string, SqlStorageValue>> }[]>()

/** Does `work` with nothing in memory, and adds up the rows that are read for it, also by what it leaves running. */
async function rowsRead<T>(work: (treasury: Treasury) => Promise<T> | T) {
  return inTreasury(payer, async (treasury, { storage: { sql } }) => {
    const { context } = treasury
    knownRecipients(context).clear()
    // As if everything before was delivered.
    context.store.run('DELETE FROM outbox')
    const forget = () => {
      throw new Error('a rollback empties the caches')
    }
    expect(() => context.store.transaction(forget)).toThrow('caches')
    const { exec } = sql
    sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
      const cursor = exec.call(sql, query, ...values)
      counted.getStore()?.push({ query, cursor })
      return cursor
    }) as typeof exec
    try {
      const read: NonNullable<ReturnType<typeof counted.getStore>> = []
      const result = await counted.run(read, () => work(treasury))
      const queries = read.map(({ query, cursor }) => ({ query, rows: cursor.rowsRead }))
      const rows = queries.reduce((sum, each) => sum + each.rows, 0)
      const largest = queries.toSorted((a, b) => b.rows - a.rows).slice(0, 3)
      const query = Math.max(...queries.filter((each) => each.query !== readAtOnce).map((each) => each.rows))
      return { rows, query, largest: largest.map((each) => `${each.rows} by ${each.query}`).join('\n'), result }
    } finally {
      Reflect.deleteProperty(sql, 'exec')
    }
  })
}

/** Checks what `work` decided and how many rows it read for that. */
async function decides(work: (treasury: Treasury) => Promise<unknown> | unknown, expected: unknown) {
  const { rows, largest, result } = await rowsRead(work)
  expect(result).toMatchObject(expected as object)
  expect(rows, 'rows are counted').toBeGreaterThan(0)
  expect(rows, largest).toBeLessThanOrEqual(most)
}

const pays = (status: string) => ({ ok: true, value: { payment: { status } } })

describe('payouts', () => {
  test('a payout by the owner, and its claim @rows-1', async () => {
    const input = payer.payment({ principal: owner, to: toEmail('claimer@example.com') })
    await decides((treasury) => treasury.createPayout(input), { ok: true })
    await inTreasury(payer, ({ context: { store } }) =>
      store.run("UPDATE payout SET status = 'CREATED', funded = 1, announced = 1 WHERE status = 'CREATING'"),
    )
    const payoutId = await inTreasury(
      payer,
      ({ context: { store } }) =>
        store.first<{ id: string }>("SELECT id FROM payment WHERE recipient_email = 'claimer@example.com'")!.id,
    )
    const claim = { payoutId, codeVersion: 1, to: fresh('claimer') }
    await decides((treasury) => treasury.claim(claim), { ok: true, value: { status: 'CLAIMING' } })
  })

  test('the alarm for expiries, reminders and codes, if nothing is due @rows-2', async () => {
    const due = (treasury: Treasury) => runStep(treasury.context, 'expiry')
    await decides(async (treasury) => [await due(treasury)], [expect.any(Number)])
  })

  test('when the next one expires @rows-3', async () => {
    await decides(({ context }) => [nextExpiryAt(context)], [expect.any(Number)])
  })
})

describe('payments', () => {
  test.each([
    ['to a recipient who was paid thousands of times', {}, pays('PROCESSING')],
    ['like one of a moment ago', {}, pays('PENDING_APPROVAL')],
    ['above the limit for approval', { amount: usdc('6') }, pays('PENDING_APPROVAL')],
    ['above the budget', { amount: usdc('2000') }, { ok: false, code: 'budget_exceeded' }],
    ['to a payout, whatever the case of its address', { to: toAddress(0) }, { ok: false, field: 'toAddress' }],
    ['to a new recipient', { to: toAddress(0x19) }, pays('PROCESSING')],
    ['as a payout', { to: toEmail('new@example.com') }, pays('PROCESSING')],
    ['by an agent whose first payment of the day it is', { principal: daily }, pays('PROCESSING')],
  ] satisfies [string, PayFields, object][])('%s @rows-4', async (what, fields: PayFields, expected) => {
    const to = what.includes('case') ? ({ type: 'address', address: await aPayout() } as const) : (fields.to ?? shop)
    await decides((treasury) => treasury.payAsAgent(payer.payment({ ...fields, to })), expected)
  })

  const aPayout = () =>
    inTreasury(payer, ({ context: { store } }) => store.payout('pay_p7')!.address.toLowerCase() as `0x${string}`)

  test('by the owner @rows-5', async () => {
    const input = payer.payment({ principal: owner, to: shop })
    await decides((treasury) => treasury.send(input), { ok: true, value: { toAddress: shop.address } })
  })

  test('a dry run @rows-6', async () => {
    const { principal, terms } = payer.payment({ to: toAddress(0x19), amount: usdc('2') })
    await decides((treasury) => treasury.checkPayment(principal, terms), { ok: true, value: { refusal: null } })
  })
})

describe('approvals', () => {
  test.each(['approve', 'deny'] as const)('the owner’s decision to %s @rows-7', async (decision) => {
    const to = decision === 'deny' ? toAddress(11) : shop
    const asked = unwrap(await payer.pay({ to, amount: usdc('7') })).payment
    const approval = await inTreasury(payer, ({ context: { store } }) => store.payment(asked.id)!.approval_id!)
    const { hash } = unwrap(await payer.treasury().approvals().get(approval))
    const answer = { hash, by: decider, passwordChecked: true, grant: null, pauseAgent: false }
    const status = decision === 'deny' ? 'DENIED' : 'APPROVED'
    await decides((treasury) => treasury.approvals()[decision](approval, answer), { ok: true, value: { status } })
  })

  test('deleting those that ended long ago, if there are none @rows-8', async () => {
    await decides(({ context }) => [pruneApprovals(context)], [undefined])
  })
})

test('open actions of a wallet are found without reading those that have ended @purchases-21', async () => {
  const action = {
    id: 'act_open',
    wallet_id: payer.wallet.id,
    kind: 'revokeSession',
    status: 'sent',
    created_at: 1,
  } as const
  await inTreasury(payer, ({ context: { store } }) => store.insert('wallet_action', { ...action, ended_at: null }))
  const { rows, largest, result } = await rowsRead(({ context }) => [
    openActions(context, payer.wallet.id).map(({ id }) => id),
    deliverableActions(context).map(({ id }) => id),
    recentActions(context, payer.wallet.id).map(({ id }) => id),
    isChanging(context, payer.wallet.id),
  ])
  await inTreasury(payer, ({ context: { store } }) => store.run('DELETE FROM wallet_action WHERE id = ?', action.id))
  expect(result).toEqual([['act_open'], ['act_open'], ['act_open'], false])
  expect(rows, largest).toBeLessThanOrEqual(10)
})

describe('figures, lists and alarms', () => {
  const agent = () => payer.principals[0] as typeof daily
  const page = { limit: 100, after: null }
  const alarm = (kind: Parameters<typeof runStep>[1]) => (treasury: Treasury) => runStep(treasury.context, kind)
  const nothing = { incarnation: null, seq: 0, audit: null }
  const amount = usdc('1')
  const suspend = async (treasury: Treasury) => {
    await treasury.operators().suspend(true)
    await treasury.operators().suspend(false)
  }

  test.each<[name: string, work: (treasury: Treasury) => unknown]>([
    ['overview', (treasury) => treasury.reports().overview()],
    ['usage', (treasury) => treasury.reports().usage()],
    ['spending by agent', (treasury) => treasury.reports().spending({ days: 90, by: 'agent' })],
    [
      'spending by group',
      (treasury) => treasury.reports().spending({ days: 90, by: 'group', walletId: payer.wallet.id }),
    ],
    ['budget history', (treasury) => treasury.reports().budgetHistory(payer.group.id, { days: 90 })],
    ['ledger of a wallet', (treasury) => treasury.reports().walletLedger(payer.wallet.id)],
    ['wallets', (treasury) => treasury.wallets().list()],
    ['session key', (treasury) => treasury.wallets().sessionKey(payer.wallet.id)],
    ['groups', (treasury) => treasury.policies().groups()],
    ['agents', (treasury) => treasury.policies().agents()],
    ['refusals', (treasury) => treasury.policies().refusals(agent().agentId)],
    ['context of an agent', (treasury) => treasury.agentContext(agent(), null)],
    ['payments of an agent', (treasury) => treasury.payments(agent(), { ...page, filters: {} })],
    ['payments by a reference', (treasury) => treasury.payments(agent(), { ...page, filters: { reference: 'same' } })],
    ['payments by no reference', (treasury) => treasury.payments(agent(), { ...page, filters: { reference: 'no' } })],
    ['a payment', (treasury) => treasury.payment(agent(), 'pay_a1')],
    ['a transaction', (treasury) => treasury.transaction('pay_a1')],
    ['recipient while typing an address', (treasury) => treasury.recipientHistory({ amount, toAddress: shop.address })],
    ['recipient while typing', (treasury) => treasury.recipientHistory({ amount, recipientEmail: 'p1@example.com' })],
    ['a payout', (treasury) => treasury.escrow('pay_p4')],
    ['notices', (treasury) => treasury.notices().list()],
    ['unread notices', (treasury) => treasury.notices().count()],
    ['approvals', (treasury) => treasury.approvals().list({ status: 'all', agentId: null, after: null })],
    [
      'approvals of an agent',
      (treasury) => treasury.approvals().list({ status: 'ended', agentId: agent().agentId, after: null }),
    ],
    ['grants', (treasury) => treasury.approvals().grants({ status: 'all', agentId: null })],
    ['webhooks', (treasury) => treasury.webhooks().list()],
    ['audit log', (treasury) => treasury.operators().readAudit(null)],
    ['report for operators', (treasury) => treasury.operators().report()],
    ['what D1 lacks', (treasury) => treasury.account().reproject({ from: { after: '' }, isDry: true })],
    ['changes for History', (treasury) => treasury.changesSince(nothing, [])],
    ['balance', (treasury) => treasury.reports().balance()],
    ['audit check', (treasury) => treasury.reports().auditCheck()],
    ['a group', (treasury) => treasury.policies().group(payer.group.id)],
    ['a changed contact', (treasury) => treasury.policies().contactChanged('contact_1', null)],
    ['signing context of an owner', (treasury) => treasury.wallets().ownerSigningContext(payer.wallet.id)],
    ['suspension', (treasury) => suspend(treasury)],
    ['replacement of secrets', (treasury) => treasury.operators().renewKeys()],
    ['expiries', alarm('expiry')],
    ['changes, sent by the Treasury', alarm('history')],
    ['reclaim of all payouts', (treasury) => treasury.reclaimAll()],
    ['deletion of a group', (treasury) => treasury.policies().deleteGroup(payer.group.id)],
    ['deletion of a wallet', (treasury) => treasury.wallets().delete(payer.wallet.id)],
    ['settlement', alarm('settle')],
    ['finality', alarm('finality')],
    ['outbox', alarm('outbox')],
    ['approvals that are overdue', alarm('approvals')],
    ['idle wallets', alarm('scan')],
    ['reclaims', alarm('reclaim')],
  ])('%s: no query reads more than 2,000 rows @queries-3', async (_, work) => {
    const { query, largest } = await rowsRead(work)
    expect(query, 'rows are counted').toBeGreaterThan(0)
    expect(query, largest).toBeLessThanOrEqual(mostShown)
  })
})
