import { describe, expect, test } from 'vitest'
import { paymentGas, stepGas, utcDay } from '#domain/gasAllowance.ts'
import type { Limits } from '#domain/limits.ts'
import { microUsdc } from '#domain/money.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Block } from '../../worker/chain/types.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { established } from '../../worker/treasury/limits/accountAge.ts'
import { gasAllowance, recordConfirmation } from '../../worker/treasury/limits/gas.ts'
import { countMessage, renewalRefusal } from '../../worker/treasury/limits/messageLimits.ts'
import { stopUnsigned } from '../../worker/treasury/payments/cancel.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { signAgain, signQueued } from '../../worker/treasury/payments/sign.ts'
import { applyReports } from '../../worker/treasury/wallets/relay/reports.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { createBook } from '../support/book.ts'
import { addressOf, owner, toAddress, toEmail } from '../support/build.ts'
import { noLimits } from '../support/limits.ts'

/** A Treasury with a funded wallet and agents `agt_0`, `agt_1`, … in one group. */
function createTreasury(limits: Partial<Limits>, agentCount = 2) {
  const book = createBook({ funds: '1000000', sessionLimit: '10000', limits: { ...noLimits, ...limits } })
  const group = book.addGroup()
  const agents: Principal[] = Array.from({ length: agentCount }, () => book.addAgent(group))
  const pay = (principal: Principal, to: Recipient = toAddress(1), grants: Gathered['grants'] = {}) =>
    book.pay({ principal, to }, { grants })
  const payTimes = (count: number, principal: Principal, to?: Recipient) =>
    Array.from({ length: count }, () => pay(principal, to))
  const signAll = () =>
    book.store.transaction(() => signQueued(book.context, book.store.wallet('wal')!, headAt(book.clock.now)))
  return { ...book, agents, pay, payTimes, signAll }
}
const headAt = (now: number) => ({ number: 1, timestamp: Math.floor(now / 1000), hash: '0x' }) as unknown as Block

/** What the Relayer grants to a new account. */
const grant = ({ store, clock }: ReturnType<typeof createTreasury>, gas: number) =>
  store.run("INSERT INTO gas_use VALUES (?, 'granted work 8453', ?)", utcDay(clock.now), gas)

const accepted = { ok: true }
const refusedBy = (code: string, rule: string) => ({ ok: false, code, refusal: { rule } })

describe('rates of accepted payments', () => {
  test('an agent may pay its burst immediately; one more is refused with its reset time, then one per second passes @limits-1', () => {
    const { agents, payTimes, pay, clock, store } = createTreasury({ agentPaymentsPerSecond: 1, agentPaymentBurst: 3 })
    const [agent, other] = agents as [Principal, Principal]
    for (const result of payTimes(3, agent)) expect(result).toMatchObject(accepted)
    const rows = store.first<{ n: number }>('SELECT count(*) AS n FROM payment')!.n
    expect(pay(agent)).toMatchObject({
      ...refusedBy('payment_rate_exceeded', 'limits.agent_payments'),
      retryAfter: 1,
      refusal: { resets_at: new Date(clock.now + 1000).toISOString() },
    })
    expect(store.first<{ n: number }>('SELECT count(*) AS n FROM payment')!.n, 'nothing is recorded').toBe(rows)
    expect(pay(other), 'another agent').toMatchObject(accepted)
    clock.now += 999
    expect(pay(agent)).toMatchObject({ ok: false })
    clock.now += 1
    expect(pay(agent)).toMatchObject(accepted)
    clock.now -= dayMs
    expect(pay(agent), 'a clock that went back gives nothing').toMatchObject({ ok: false })
  })

  test('all principals of a user share one rate @limits-2', () => {
    const { agents, pay } = createTreasury({ userPaymentsPerSecond: 1, userPaymentBurst: 3 })
    for (const who of [owner, ...agents]) expect(pay(who)).toMatchObject(accepted)
    for (const who of [owner, ...agents])
      expect(pay(who)).toMatchObject(refusedBy('payment_rate_exceeded', 'limits.user_payments'))
  })

  test('a refused payment does not count toward the rate @limits-3', () => {
    const { agents, pay, context } = createTreasury({ agentPaymentsPerSecond: 1, agentPaymentBurst: 1 })
    context.limits.gasPerDay = 0
    for (let i = 0; i < 5; i++) expect(pay(agents[0]!)).toMatchObject({ code: 'gas_allowance_exceeded' })
    context.limits.gasPerDay = 1e12
    expect(pay(agents[0]!)).toMatchObject(accepted)
  })
})

describe('the queue of a wallet', () => {
  test('an agent can queue at most its share of payments; the owner has no such limit @limits-4', () => {
    const { agents, payTimes, pay } = createTreasury({ agentQueued: 5 })
    for (const result of payTimes(5, agents[0]!)) expect(result).toMatchObject(accepted)
    expect(pay(agents[0]!)).toMatchObject(refusedBy('queue_full', 'limits.queue'))
    expect(pay(agents[1]!)).toMatchObject(accepted)
    for (const result of payTimes(20, owner)) expect(result).toMatchObject(accepted)
  })

  test('if agents may not queue at all, the owner’s payments are still signed in order @limits-39', () => {
    const { agents, pay, signAll, store, context } = createTreasury({ agentQueued: 0 })
    expect(pay(agents[0]!)).toMatchObject(refusedBy('queue_full', 'limits.queue'))
    expect(pay(owner)).toMatchObject(accepted)
    openKeys(context).set('wal:1', `0x${'11'.repeat(32)}`)
    heads(context).set(8453, { block: headAt(context.now()), readAt: context.now() })
    expect(pay(owner)).toMatchObject(accepted)
    const statuses = () => store.all<{ status: string }>('SELECT status FROM payment').map(({ status }) => status)
    expect(statuses(), 'the second waits for the first').toEqual(['QUEUED', 'QUEUED'])
    expect(signAll()).toBe(2)
  })

  test('agents leave slots to the owner, no agent exceeds its share, and slots are assigned round-robin @limits-5', () => {
    const t = createTreasury({ ownerSlots: 16, agentInFlight: 24 }, 3)
    const [a, b, c] = t.agents as [Principal, Principal, Principal]
    for (const [who, count] of [
      [a, 100],
      [b, 40],
      [c, 3],
      [owner, 30],
    ] as const)
      t.payTimes(count, who)
    openKeys(t.context).set('wal:1', `0x${'11'.repeat(32)}`)
    const inFlight = () =>
      Object.fromEntries(
        t.store
          .all<{ who: string; n: number }>(
            "SELECT coalesce(agent_id, 'owner') AS who, count(*) AS n FROM payment WHERE status = 'PROCESSING' GROUP BY agent_id",
          )
          .map(({ who, n }) => [who, n]),
      )
    expect(t.signAll()).toBe(64)
    // Round-robin until all 64 slots are used: 3 for the third agent, equal parts for the others.
    expect(inFlight()).toEqual({ agt_0: 21, agt_1: 20, agt_2: 3, owner: 20 })
    // Half of the owner's payments are confirmed: the owner's queue moves on although the agents wait as well.
    t.store.run(
      "UPDATE payment SET status = 'CONFIRMED' WHERE id IN (SELECT id FROM payment WHERE agent_id IS NULL AND status = 'PROCESSING' LIMIT 10)",
    )
    t.signAll()
    expect(inFlight().owner).toBe(20)
  })

  test('a single active agent gets its share of the slots and no more @limits-6', () => {
    const t = createTreasury({ ownerSlots: 16, agentInFlight: 24 })
    t.payTimes(64, t.agents[0]!)
    openKeys(t.context).set('wal:1', `0x${'11'.repeat(32)}`)
    expect(t.signAll()).toBe(24)
    t.payTimes(1, owner)
    expect(t.signAll(), 'the owner’s payment is signed immediately').toBe(1)
  })
})

describe('daily gas', () => {
  const sends = (count: number) => count * paymentGas(false)

  test('reservations use up the gas allowance, which renews at 00:00 UTC @limits-7', () => {
    const { pay, clock } = createTreasury({ gasPerDay: sends(3), ownerGasPercent: 0 })
    for (let i = 0; i < 3; i++) expect(pay(owner)).toMatchObject(accepted)
    const midnight = (Math.floor(clock.now / dayMs) + 1) * dayMs
    expect(pay(owner)).toMatchObject({
      ...refusedBy('gas_allowance_exceeded', 'limits.gas'),
      refusal: { resets_at: new Date(midnight).toISOString() },
    })
    clock.now = midnight - 1
    expect(pay(owner)).toMatchObject({ ok: false })
    clock.now = midnight
    expect(pay(owner)).toMatchObject(accepted)
  })

  test('an agent may use 40% of the gas allowance, and 20% is kept for the owner @limits-8', () => {
    const t = createTreasury({ gasPerDay: sends(10), agentGasPercent: 40, ownerGasPercent: 20 }, 3)
    const [a, b, c] = t.agents as [Principal, Principal, Principal]
    const count = (who: Principal) => t.payTimes(20, who).filter((result) => 'ok' in result && result.ok).length
    expect([count(a), count(b), count(c)], 'the third gets what the other two leave of 80%').toEqual([4, 4, 0])
    expect(count(owner)).toBe(2)
  })

  test('a payout reserves gas for all its steps; receipts replace the estimates and failures return them @limits-9', () => {
    const { pay, context, store } = createTreasury({})
    const used = () => gasAllowance(context, null).used
    const payout = pay(owner, toEmail())
    if ('need' in payout || !payout.ok) throw new Error('not accepted')
    const { id } = payout.value.payment
    expect(used()).toBe(paymentGas(true))
    store.run("UPDATE payment SET sig_version = 1, status = 'PROCESSING' WHERE id = ?", id)
    const ref = { type: 'payment', paymentId: id, version: 1 } as const
    applyReports(context, [{ id: `${id}:1`, ref, state: 'mined', txHash: '0x01', gasUsed: 64_467 }])
    expect(used()).toBe(paymentGas(true) - stepGas.send + 64_467)
    applyReports(context, [{ id: `${id}:1`, ref, state: 'mined', txHash: '0x01', gasUsed: 64_467 }])
    expect(used(), 'a repeated report').toBe(paymentGas(true) - stepGas.send + 64_467)
    const send = pay(owner)
    if ('need' in send || !send.ok) throw new Error('not accepted')
    const before = used()
    store.transaction(() => stopUnsigned(context, send.value.payment, 'cancelled'))
    expect(used()).toBe(before - paymentGas(false))
  })

  test('a new account needs a grant of exactly the gas it lacks, until enough USDC was confirmed @limits-10', () => {
    const t = createTreasury({ establishedAfterPayments: 10, establishedAfterUsdc: 10 })
    established(t.context).isKnown = false
    expect(t.pay(owner)).toMatchObject({ need: 'gasGrant', gas: sends(1) })
    expect(t.pay(owner, toAddress(1), { gas: false })).toMatchObject(
      refusedBy('gas_allowance_exceeded', 'limits.new_accounts_gas'),
    )
    grant(t, sends(3))
    for (const result of t.payTimes(3, owner)) expect(result).toMatchObject(accepted)
    for (let i = 0; i < 100; i++) recordConfirmation(t.context, 8453, microUsdc(99_999n))
    expect(t.pay(owner), '100 payments of dust').toMatchObject({ need: 'gasGrant' })
    recordConfirmation(t.context, 84532, microUsdc(1_000_000n))
    expect(t.pay(owner), 'test money').toMatchObject({ need: 'gasGrant' })
    recordConfirmation(t.context, 8453, microUsdc(100n))
    expect(t.pay(owner), 'established').toMatchObject(accepted)
  })
})

test('a payment that the contract refuses is not signed again, and its recipient is looked up again @limits-11', () => {
  const t = createTreasury({ gasPerDay: 1_000_000 })
  openKeys(t.context).set('wal:1', `0x${'11'.repeat(32)}`)
  t.pay(owner)
  expect(t.pay(owner)).toMatchObject(accepted)
  t.signAll()
  const [row] = t.store.all<{ id: string; deadline: number }>(
    "SELECT id, deadline FROM payment WHERE status = 'PROCESSING'",
  )
  const head = { number: 2, timestamp: row!.deadline - 10, hash: '0x' } as unknown as Block
  const ref = { type: 'payment', paymentId: row!.id, version: 1 } as const
  applyReports(t.context, [
    { id: `${row!.id}:1`, ref, state: 'parked', reverts: true, reason: 'Blacklistable: account is blacklisted' },
  ])
  const known = () => t.store.first('SELECT 1 FROM known_recipient WHERE address = ?', `8453:${addressOf(1)}`)
  expect(known()).toBeNull()
  t.clock.now += 240_000
  expect(
    t.store.transaction(() => signAgain(t.context, t.store.wallet('wal')!, head)),
    'only the other payment',
  ).toBe(1)
  // If the payment is executed after all, the report of that attempt clears the revert.
  applyReports(t.context, [{ id: `${row!.id}:1`, ref, state: 'broadcast', txHash: '0x02' }])
  expect(t.store.payment(row!.id)!.revert).toBeNull()
})

test('failed payments return their gas up to a daily limit; beyond it their gas counts as used @limits-33', () => {
  const { pay, payTimes, context, store, clock } = createTreasury({ gasReturnedPerDay: 2 * stepGas.send })
  const used = () => gasAllowance(context, null).used
  const failed = () => {
    const result = pay(owner)
    if ('need' in result || !result.ok) throw new Error('not accepted')
    store.transaction(() => stopUnsigned(context, result.value.payment, 'cancelled'))
  }
  for (const kept of [0, 0, 1, 2]) {
    failed()
    expect(used()).toBe(kept * stepGas.send)
  }
  payTimes(1, owner)
  expect(used()).toBe(3 * stepGas.send)
  clock.now += dayMs
  failed()
  expect(used(), 'the next day').toBe(0)
})

describe('messages to recipients', () => {
  test('a sender, an agent and a recipient each have a daily message limit @limits-12', () => {
    const limits = { emailsPerDay: 10, agentMessagePercent: 50, messagesPerRecipient: 3 }
    const { pay, agents, clock } = createTreasury(limits)
    for (let i = 0; i < 3; i++) expect(pay(agents[0]!, toEmail(`Ada+${i}@example.com`))).toMatchObject(accepted)
    expect(pay(owner, toEmail('ada@EXAMPLE.com')), 'the same mailbox').toMatchObject(
      refusedBy('message_limit', 'limits.recipient_messages'),
    )
    expect(pay(agents[0]!, toEmail('b.o.b@gmail.com'))).toMatchObject(accepted)
    expect(pay(agents[0]!, toEmail('bob+1@googlemail.com'))).toMatchObject(accepted)
    expect(pay(agents[0]!, toEmail('bob2@example.com'))).toMatchObject(
      refusedBy('message_limit', 'limits.agent_messages'),
    )
    expect(pay(owner, toEmail('BO.b@gmail.com'))).toMatchObject(accepted)
    expect(pay(owner, toEmail('bob@gmail.com')), 'the same mailbox at Gmail').toMatchObject(
      refusedBy('message_limit', 'limits.recipient_messages'),
    )
    for (let i = 0; i < 4; i++) expect(pay(owner, toEmail(`eve${i}@example.com`))).toMatchObject(accepted)
    expect(pay(owner, toEmail('eve5@example.com'))).toMatchObject(refusedBy('message_limit', 'limits.messages'))
    expect(pay(owner, { type: 'phone', phone: '+14155550123' }), 'counted separately').toMatchObject(accepted)
    clock.now += dayMs
    expect(pay(owner, toEmail())).toMatchObject(accepted)
  })

  test('codes that recipients renew have their own daily limit, separate from the sender’s @limits-32', () => {
    const { context, pay, clock } = createTreasury({ emailsPerDay: 2 })
    const to = { channel: 'email', recipient: 'ada@example.com' } as const
    for (let i = 0; i < 2; i++) {
      expect(renewalRefusal(context, to)).toBeNull()
      countMessage(context, 'recipient', to)
    }
    expect(renewalRefusal(context, to)).toMatchObject(refusedBy('message_limit', 'limits.renewals'))
    expect(renewalRefusal(context, { channel: 'sms', recipient: '+14155550123' })).toBeNull()
    for (let i = 0; i < 2; i++) expect(pay(owner, toEmail(`eve${i}@example.com`))).toMatchObject(accepted)
    clock.now += dayMs
    expect(renewalRefusal(context, to)).toBeNull()
  })

  test('each message of a new account needs a grant from the count that all new accounts share @limits-13', () => {
    const t = createTreasury({ establishedAfterPayments: 10 })
    established(t.context).isKnown = false
    grant(t, 1e9)
    expect(t.pay(owner, toEmail())).toMatchObject({ need: 'messageGrant' })
    expect(t.pay(owner, toEmail(), { message: false })).toMatchObject(
      refusedBy('message_limit', 'limits.new_account_messages'),
    )
    expect(t.pay(owner, toEmail(), { message: true })).toMatchObject(accepted)
  })
})

test('refusals are recorded up to a limit per minute and per day @limits-14', () => {
  const { pay, agents, store, clock } = createTreasury({ refusalsPerMinute: 3, refusalsPerDay: 5 })
  store.run('UPDATE agent SET paused = 1')
  const recorded = () =>
    store.first<{ n: number }>("SELECT count(*) AS n FROM payment WHERE status = 'POLICY_REJECTED'")!.n
  for (let i = 0; i < 10; i++) pay(agents[0]!)
  expect(recorded()).toBe(3)
  clock.now += minuteMs
  for (let i = 0; i < 10; i++) pay(agents[0]!)
  expect(recorded()).toBe(5)
  clock.now += dayMs
  pay(agents[0]!)
  expect(recorded()).toBe(6)
})
