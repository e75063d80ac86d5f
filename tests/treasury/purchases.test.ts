/** Purchases from x402 sellers: their numbers, shares, holds and outcomes. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { giveUpMs } from '#domain/intent.ts'
import { microUsdc } from '#domain/money.ts'
import { hourMs } from '#domain/time.ts'
import { capOf, countOf, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { purchaseIn } from '../../worker/chain/purchase.ts'
import { RpcError } from '../../worker/chain/types.ts'
import { recompute } from '../../worker/treasury/account/restore/recompute.ts'
import { paidTo } from '../../worker/treasury/approvals/approvalRules.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import type { PaymentRow, WalletActionRow } from '../../worker/treasury/core/storage/rows.ts'
import { statusIn } from '../../worker/treasury/core/storage/statuses.ts'
import { listNotices } from '../../worker/treasury/outbox/notices/views.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { payloadOf } from '../../worker/treasury/payments/purchases/offers.ts'
import { refill } from '../../worker/treasury/payments/purchases/refill.ts'
import { failUnsigned } from '../../worker/treasury/settlement/release.ts'
import { isBusy } from '../../worker/treasury/settlement/settle.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { paid } from '../support/book.ts'
import { addressOf, agentPrincipal, usdc } from '../support/build.ts'
import { type Buyer, createBuyer, openLimits } from '../support/buyer.ts'

const status = ({ store }: Buyer, { id }: PaymentRow) => store.payment(id)!.status
const numbersOf = ({ authorization }: PaymentRow) => purchaseIn(authorization!)!

/** What must hold at any moment. */
function checkBooks({ store, group }: Buyer, allowance: number): void {
  const rows = store.all<PaymentRow>("SELECT * FROM payment WHERE kind = 'x402'")
  const alive = rows.filter(({ status }) => status === 'PROCESSING' || status === 'CONFIRMED')
  const sum = (of: PaymentRow[]) => of.reduce((total, { amount }) => total + amount, 0)
  const open = rows.filter(({ status }) => status === 'PROCESSING' || status === 'QUEUED')
  const confirmed = rows.filter(({ status }) => status === 'CONFIRMED')
  expect(new Set(alive.map(({ authorization }) => authorization)).size, 'each nonce is bound to one content').toBe(
    alive.length,
  )
  for (const of of purchaseClasses) {
    const count = countOf(of, allowance)
    const inClass = alive.filter((row) => numbersOf(row).class === of)
    for (const row of inClass) {
      expect(numbersOf(row).number).toBeLessThan(count)
      expect(BigInt(row.amount)).toBeLessThanOrEqual(capOf(of))
    }
    const taken = store.first<{ taken: number }>('SELECT taken FROM purchase_class WHERE class = ?', of)?.taken ?? 0
    expect(taken).toBe(inClass.length)
  }
  const wallet = store.wallet('wal')!
  expect([wallet.held, wallet.out]).toEqual([sum(open), sum(confirmed)])
  const { held, spent } = store.group(group)!
  expect([held, spent]).toEqual([sum(open), sum(confirmed)])
  const session = store.session('wal')!
  expect([session.held, session.used], 'sends have as much left as before').toEqual([0, 0])
}

/** What must hold when a purchase has been accepted. A reorganization may open others again. */
function checkShare({ store, open }: Buyer, allowance: number, payment: PaymentRow): void {
  const of = numbersOf(payment).class
  const own = open().filter(
    ({ agent_id, ...row }) => agent_id === payment.agent_id && numbersOf(row as PaymentRow).class === of,
  )
  expect(own.length).toBeLessThanOrEqual(Math.ceil(countOf(of, allowance) / 4))
  const { taken } = store.first<{ taken: number }>('SELECT taken FROM purchase_class WHERE class = ?', of)!
  expect(countOf(of, allowance) - taken, 'the part of the owner').toBeGreaterThanOrEqual(
    Math.floor(countOf(of, allowance) / 10),
  )
}

describe('numbers', () => {
  const act = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ buy: fc.integer({ min: 1, max: 1_000_000 }), agent: fc.nat(2), seller: fc.nat(9) }),
    },
    { weight: 4, arbitrary: fc.record({ settle: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 200 }) }) },
    { weight: 1, arbitrary: fc.constant({ reorganize: true as const }) },
  )

  test('whatever is bought, settled and left, a number has one content that can move money @purchases-1', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (acts, allowance) => {
        const buyer = createBuyer({ allowance })
        const agents = ['a', 'b', 'c'].map((id) => buyer.addAgent(buyer.group, `agt_${id}`))
        for (const each of acts) {
          if ('buy' in each) {
            const amount = microUsdc(BigInt(each.buy))
            const bought = buyer.buy({ amount, principal: agents[each.agent]!, seller: each.seller + 1 })
            if (!('need' in bought) && bought.ok) checkShare(buyer, allowance, bought.value.payment)
          } else if ('settle' in each) {
            const open = buyer.open()
            const chosen = open[each.settle % Math.max(1, open.length)]
            if (chosen && chosen.deadline! > buyer.blockNow().timestamp) buyer.settle(chosen)
          } else if ('pass' in each) await buyer.pass(each.pass)
          else buyer.reorganize()
          checkBooks(buyer, allowance)
        }
        const before = buyer.dump()
        buyer.store.transaction(() => recompute(buyer.store, buyer.clock.now))
        expect(buyer.dump(), 'sums equal the rows').toBe(before)
        buyer.close()
      }),
      { numRuns: 60 },
    )
  })

  test('a class that is used up refuses with the class, when it returns, and what is still possible @purchases-2', async () => {
    const buyer = createBuyer({ allowance: 10 }) // 6 purchases up to 1 USDC
    const agents = ['a', 'b', 'c', 'd'].map((id) => buyer.addAgent(buyer.group, `agt_${id}`))
    const buy = (agent: number) => buyer.buy({ principal: agents[agent]!, seller: agent + 1 })
    const two = [paid(buy(0)), paid(buy(0))]
    expect(buy(0), 'a quarter of the class for one agent').toMatchObject({
      ...{ ok: false, code: 'purchases_used_up' },
      refusal: { rule: 'session.purchases', class: 2, max_allowed_now: '0.1', resets_at: expect.any(String) },
    })
    for (const agent of [1, 1, 2, 2]) paid(buy(agent))
    expect(buy(3)).toMatchObject({ ok: false, code: 'purchases_used_up', refusal: { class: 2 } })
    expect(buyer.buy({ principal: agents[3]!, amount: usdc('0.1') }), 'another class').toMatchObject({ ok: true })
    await buyer.pass(59)
    expect(buy(3)).toMatchObject({ ok: false })
    buyer.settle(two[0]!)
    await buyer.pass(10)
    expect(status(buyer, two[0]!)).toBe('CONFIRMED')
    expect(status(buyer, two[1]!)).toBe('FAILED')
    const again = paid(buy(3))
    expect(numbersOf(again).number, 'a dead number is used again, a settled one never').not.toBe(
      numbersOf(two[0]!).number,
    )
    buyer.close()
  })

  test('without an allowance nothing can be bought, and sends are not affected @purchases-3', () => {
    const buyer = createBuyer({ allowance: 0 })
    const agent = buyer.addAgent(buyer.group)
    expect(buyer.buy({ principal: agent })).toMatchObject({
      ...{ ok: false, code: 'purchases_used_up' },
      refusal: { next: expect.stringContaining('rotate the session key') },
    })
    expect(buyer.pay({ principal: agent, amount: usdc('100') })).toMatchObject({ ok: true })
    buyer.close()
  })

  test('an agent that never settles leaves the others at least 60 % of each class @purchases-4', async () => {
    const buyer = createBuyer({ allowance: 20 })
    const [thief, ...others] = ['a', 'b', 'c', 'd', 'e'].map((id) => buyer.addAgent(buyer.group, `agt_${id}`))
    for (const of of purchaseClasses) {
      const count = countOf(of, 20)
      const amount = capOf(of)
      /** How many the agent can buy. What is refused once stays refused, since nothing settles. */
      const buyAll = (principal: typeof thief) => {
        for (let i = 0; i < count; i++) {
          const bought = buyer.buy({ principal: principal!, amount, seller: i + 1 })
          if ('need' in bought || !bought.ok) return i
        }
        return count
      }
      buyAll(thief)
      const left = others.reduce((sum, other) => sum + buyAll(other), 0)
      expect(left / count, `class ${of}`).toBeGreaterThanOrEqual(0.6)
    }
    await buyer.pass(300)
    expect(buyer.open()).toHaveLength(0)
    for (const of of purchaseClasses)
      expect(buyer.store.first('SELECT taken FROM purchase_class WHERE class = ?', of)).toEqual({ taken: 0 })
    buyer.close()
  })
})

describe('one key', () => {
  test('fifty repeats have one debit and one payload, and later its outcome @purchases-5', async () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    const results = Array.from({ length: 50 }, () => buyer.buy({ principal, key: 'one' }))
    const headers = results.map((result) => payloadOf(buyer.store, buyer.store.payment(paid(result).id)!)!.payload)
    expect(new Set(headers).size).toBe(1)
    expect(buyer.store.group(buyer.group)!.held).toBe(280_000)
    expect(buyer.buy({ principal, key: 'one', amount: usdc('0.29') }), 'another price').toMatchObject({
      ...{ ok: false, code: 'idempotency_key_reused' },
    })
    buyer.settle(paid(results[0]!))
    const after = paid(buyer.buy({ principal, key: 'one' }))
    expect(after.status).toBe('CONFIRMED')
    expect(payloadOf(buyer.store, after)).toBe(null)
    buyer.close()
  })

  test('a payload that nobody settles fails once a later block is final, and its amount is free again @purchases-6', async () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    const payment = paid(buyer.buy({ principal, key: 'one' }))
    await buyer.pass(60)
    expect(status(buyer, payment), 'its last second is not over').toBe('PROCESSING')
    await buyer.pass(1)
    expect(paid(buyer.buy({ principal, key: 'one' }))).toMatchObject({ status: 'FAILED', error_code: 'not_executed' })
    expect(buyer.store.group(buyer.group)!.held).toBe(0)
    buyer.close()
  })
})

test('a settled purchase that a reorganization removes is handed out again as it was @purchases-13', () => {
  const buyer = createBuyer()
  const principal = buyer.addAgent(buyer.group)
  const payment = paid(buyer.buy({ principal, key: 'one' }))
  const handedOut = payloadOf(buyer.store, payment)
  buyer.settle(payment)
  expect(payloadOf(buyer.store, buyer.store.payment(payment.id)!)).toBe(null)
  buyer.reorganize()
  expect(payloadOf(buyer.store, paid(buyer.buy({ principal, key: 'one' })))).toEqual(handedOut)
  buyer.close()
})

test('equal purchases, open ones and old sellers are found by an index @purchases-14', () => {
  const { store, close } = createBuyer()
  const plan = (query: string) => store.first<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`)!.detail
  const [where] = paidTo({ address: addressOf(1), email: null, phone: null, seller: 'a.example' })
  expect(
    plan(`SELECT 1 FROM payment WHERE ${where} AND amount = 1 AND accepted_at > 0 AND status IN ${statusIn.alive}`),
  ).toContain('payment_seller (seller=? AND to_address=? AND amount=?')
  const open = `kind = 'x402' AND agent_id = 'a' AND status IN ${statusIn.unsettled}`
  expect(plan(`SELECT 1 FROM payment WHERE ${open}`)).toContain('payment_open_purchase (agent_id=?)')
  expect(plan("SELECT 1 FROM payment WHERE wallet_id = 'w' AND kind = 'x402'")).toContain(
    'payment_purchase (wallet_id=?)',
  )
  expect(plan('SELECT 1 FROM seller WHERE confirmed_at IS NULL AND asked_at < 1')).toContain('seller_unconfirmed')
  expect(plan('SELECT 1 FROM seller WHERE confirmed_at < 1')).toContain('seller_confirmed')
  close()
})

test('purchases that are not final do not keep others from being released @purchases-15', async () => {
  const buyer = createBuyer({ allowance: 1_000 })
  const principal = buyer.addAgent(buyer.group)
  const first = paid(buyer.buy({ principal, amount: usdc('0.01') }))
  await buyer.pass(30)
  for (let i = 0; i < 25; i++) paid(buyer.buy({ principal, amount: usdc('0.01') }))
  await buyer.pass(31)
  expect(status(buyer, first)).toBe('FAILED')
  buyer.close()
})

test('a renewal that the wallet does not allow is tried once an hour, and does not keep the wallet busy @purchases-16', async () => {
  const buyer = createBuyer({ allowance: 2 }) // 1 purchase up to 1 USDC
  const { context, store, clock } = buyer
  context.env.OPERATOR_KEY_V1 = '7'.repeat(64)
  const principal = buyer.addAgent(buyer.group)
  buyer.settle(paid(buyer.buy({ principal })))
  const wallet = () => store.wallet('wal')!
  expect(isBusy(context, wallet()), 'a renewal is due').toBe(true)
  await refill(context, wallet())
  expect([isBusy(context, wallet()), store.count('wallet_action')]).toEqual([false, 0])
  clock.now += hourMs
  expect(isBusy(context, wallet())).toBe(true)
  buyer.close()
})

describe('a renewal that is not possible', () => {
  /** A wallet named Main whose only purchase up to 1 USDC is used. Ann may buy, and Ben may not. */
  function createUsedUp() {
    const buyer = createBuyer({ allowance: 2 })
    const { context, store } = buyer
    context.env.OPERATOR_KEY_V1 = '7'.repeat(64)
    context.sealer.seal = async () => 'sealed'
    store.run("UPDATE wallet SET name = 'Main'")
    buyer.addAgent(buyer.addGroup({ name: 'Senders' }), 'Ben')
    buyer.settle(paid(buyer.buy({ principal: buyer.addAgent(buyer.group, 'Ann') })))
    const told = () =>
      listNotices(context)
        .notices.filter(({ event }) => event === 'wallet.refill_refused')
        .map(({ text, detail, times, subject }) => ({ text, detail, times, subject }))
    const mails = () =>
      store.first<{ seq: number }>("SELECT seq FROM outbox WHERE kind = 'mail.refill_refused' AND ref = 'wal'")?.seq ??
      0
    return { ...buyer, refill: () => refill(context, store.wallet('wal')!), told, mails }
  }

  test('the owner hears once what to do when the wallet refuses, and which agents are affected @purchases-17', async () => {
    const buyer = createUsedUp()
    const { refill, refuses, walletState, told, mails, clock, store, context } = buyer
    walletState.rotationDisabled = false
    refuses.rotation = new RpcError(3, 'DailyGrantExceeded()', '0x')
    await refill()
    const notice = {
      text: 'The purchase allowance of Main can’t be renewed',
      detail: expect.stringMatching(/^Once it is used up, Ann can’t buy\. .*sign with your owner key\.$/),
      times: 1,
      subject: { type: 'wallet', id: 'wal' },
    }
    expect([told(), mails()]).toEqual([[notice], 1])
    for (let hours = 0; hours < 5; hours++) {
      clock.now += hourMs
      await refill()
    }
    expect([told(), mails()], 'told once').toEqual([[notice], 1])

    const session = store.session('wal')!
    store.run('UPDATE session SET current = 0')
    store.insert('session', { ...session, epoch: 2, refill_refused: null })
    walletState.epoch = 2
    await buyer.pass(1)
    openKeys(context).set('wal:2', openKeys(context).get('wal:1')!)
    buyer.settle(paid(buyer.buy({ principal: agentPrincipal('Ann') })))
    clock.now += hourMs
    await refill()
    expect([told(), mails()], 'and again of the next session key').toEqual([[{ ...notice, times: 2 }], 2])
    buyer.close()
  })

  test('the owner hears it when Bursar may not rotate, has no key for it, or has renewed 12 times in a day @purchases-18', async () => {
    const whyOf = async (change: (buyer: ReturnType<typeof createUsedUp>) => void) => {
      const buyer = createUsedUp()
      change(buyer)
      await buyer.refill()
      const [notice, ...others] = buyer.told()
      expect([others, buyer.mails(), buyer.store.count("wallet_action WHERE status = 'draining'")]).toEqual([
        [],
        notice ? 1 : 0,
        0,
      ])
      buyer.close()
      return notice?.detail ?? null
    }
    const renewed = ({ store, clock }: Buyer, status = 'done') => {
      for (let i = 0; i < 12; i++)
        store.insert('wallet_action', {
          ...{ id: `act_${i}`, wallet_id: 'wal', kind: 'rotate', status: i === 11 ? status : 'done' },
          ...{ created_at: clock.now - i, ended_at: clock.now },
        } as WalletActionRow)
    }
    expect(await whyOf(() => {})).toContain('You switched off Bursar’s authority')
    expect(await whyOf(({ context }) => delete context.env.OPERATOR_KEY_V1)).toContain(
      'cannot rotate session keys here',
    )
    expect(await whyOf(renewed)).toContain('at most 12 times in 24 hours')
    expect(await whyOf((buyer) => renewed(buyer, 'sent')), 'the twelfth is on its way').toBe(null)
    const pause = 'UPDATE wallet SET paused = 1'
    expect(await whyOf(({ store }) => store.run(pause)), 'the owner has paused it').toBe(null)
    expect(await whyOf(({ store }) => store.run('DELETE FROM purchase_class')), 'nothing is used').toBe(null)
    const hasEnded = ({ context, store }: Buyer) => {
      delete context.env.OPERATOR_KEY_V1
      store.run('UPDATE session SET valid_until = 1')
    }
    expect(await whyOf(hasEnded), 'the session key has ended').toBe(null)
    const isReplaced = ({ walletState, refuses }: Buyer) => {
      walletState.rotationDisabled = false
      refuses.rotation = new RpcError(3, 'WrongEpoch()', '0x')
    }
    expect(await whyOf(isReplaced), 'the session key was replaced meanwhile').toBe(null)
  })
})

describe('signing', () => {
  test('without a fresh head a purchase waits, holds its amount, and is signed when its agent asks again @purchases-10', () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    const { block } = heads(buyer.context).get(8453)!
    heads(buyer.context).clear()
    const payment = paid(buyer.buy({ principal, key: 'one' }))
    expect(payment).toMatchObject({ status: 'QUEUED', authorization: null })
    expect(buyer.store.group(buyer.group)!.held).toBe(280_000)
    heads(buyer.context).set(8453, { block, readAt: buyer.clock.now })
    const again = paid(buyer.buy({ principal, key: 'one' }))
    expect(again).toMatchObject({ id: payment.id, status: 'PROCESSING', sig_version: 1 })
    expect(buyer.store.group(buyer.group)!.held).toBe(280_000)
    expect(payloadOf(buyer.store, again)).not.toBe(null)
    buyer.close()
  })

  test('an unclaimed purchase expires after 15 minutes @purchases-11', async () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    heads(buyer.context).clear()
    const payment = paid(buyer.buy({ principal, key: 'one' }))
    buyer.clock.now += giveUpMs
    failUnsigned(buyer.context, buyer.store.wallet('wal')!)
    expect(buyer.store.payment(payment.id)).toMatchObject({ status: 'FAILED', error_code: 'not_sent' })
    expect(buyer.store.group(buyer.group)!.held).toBe(0)
    expect(buyer.store.count('free_number')).toBe(0)
    buyer.close()
  })

  test('sends are signed past a purchase that waits @purchases-12', () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    const { block } = heads(buyer.context).get(8453)!
    heads(buyer.context).clear()
    paid(buyer.buy({ principal, key: 'one' }))
    heads(buyer.context).set(8453, { block, readAt: buyer.clock.now })
    expect(paid(buyer.pay({ principal })).status).toBe('PROCESSING')
    buyer.close()
  })
})

describe('limits', () => {
  test('an agent has 20 open purchases, and 5 from one seller @purchases-7', () => {
    const buyer = createBuyer({ limits: openLimits, allowance: 1_000 })
    const principal = buyer.addAgent(buyer.group)
    const buy = (seller: number) => buyer.buy({ principal, seller, amount: usdc('0.01') })
    for (let i = 0; i < 5; i++) paid(buy(1))
    expect(buy(1)).toMatchObject({ ok: false, code: 'queue_full', refusal: { rule: 'limits.open_purchases' } })
    for (let i = 5; i < 20; i++) paid(buy(i))
    expect(buy(40)).toMatchObject({ ok: false, code: 'queue_full' })
    buyer.settle(buyer.open()[0]!)
    paid(buy(40))
    buyer.close()
  })

  test('above 1 USDC, to the wallet itself, and without the scope nothing is bought @purchases-8', () => {
    const buyer = createBuyer({ allowance: 100 })
    const principal = buyer.addAgent(buyer.group)
    expect(buyer.buy({ principal, amount: usdc('1.000001') })).toMatchObject({ code: 'unsupported_payment' })
    paid(buyer.buy({ principal, amount: usdc('1') }))
    const without = buyer.addAgent(buyer.addGroup(), 'agt_without')
    expect(buyer.buy({ principal: without })).toMatchObject({ code: 'insufficient_scope' })
    const to = {
      type: 'x402',
      address: buyer.store.wallet('wal')!.address,
      resource: 'GET https://a.example/b',
    } as const
    expect(buyer.buy({ principal, to })).toMatchObject({ code: 'invalid_input' })
    buyer.close()
  })

  test('an unknown seller is asked first, and only once in ten minutes @purchases-9', () => {
    const buyer = createBuyer()
    const principal = buyer.addAgent(buyer.group)
    const gathered = {
      draft: null,
      lookup: { address: addressOf(1), found: 'clear' },
      refresh: 'done',
      grants: {},
    } as const
    const attempt = () => accept(buyer.context, buyer.purchase({ principal }), { ...gathered })
    expect(attempt()).toMatchObject({ need: 'seller' })
    const pair = `shop-1.example ${addressOf(1)}`
    buyer.store.run('INSERT INTO seller (pair, chain_id, asked_at) VALUES (?, 8453, ?)', pair, buyer.clock.now)
    expect(attempt()).not.toMatchObject({ need: 'seller' })
    buyer.clock.now += 600_000
    expect(attempt()).toMatchObject({ need: 'seller' })
    buyer.close()
  })
})
