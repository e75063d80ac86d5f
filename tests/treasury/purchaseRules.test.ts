/** The rules about purchases, over the Treasury's tables: whom agents may buy from, and when the owner is asked. */
import { expect, test } from 'vitest'
import { dayMs, isoOf } from '#domain/time.ts'
import { handedOut } from '../../worker/treasury/payments/purchases/openSignatures.ts'
import { addressOf, usdc } from '../support/build.ts'
import { createPurchaseBook } from '../support/purchaseBook.ts'

const refusedBy = (rule: string, over: object = {}) => ({ ok: false, refusal: { rule, ...over } })

test('a purchase from another host is refused, and one above the amount of its host @purchase-rules-1', () => {
  const book = createPurchaseBook({
    hosts: [
      { pattern: 'api.example.com', maxAmount: usdc('0.05') },
      { pattern: '*.example.org', maxAmount: null },
    ],
  })
  const agent = book.addAgent()
  for (const host of ['api.example.com', 'a.example.org', 'example.org']) book.hostAnswers(true, { host })
  expect(book.buy(agent, { host: 'example.org' })).toMatchObject({
    code: 'recipient_not_allowed',
    ...refusedBy('group.hosts', { max_allowed_now: '0' }),
  })
  expect(book.buy(agent, { amount: usdc('0.050001') })).toMatchObject({
    code: 'payment_limit_exceeded',
    ...refusedBy('group.hosts', { max_allowed_now: '0.05', max_without_asking: '0.05' }),
  })
  expect(book.buy(agent, { amount: usdc('0.05') })).toMatchObject({
    ok: true,
    value: { payment: { seller: 'api.example.com' } },
  })
  expect(book.buy(agent, { host: 'a.example.org', amount: usdc('1') })).toMatchObject({ ok: true })
  // The rule is about purchases alone.
  expect(book.pay({ principal: agent })).toMatchObject({ ok: true })
  book.close()
})

test('a seller whose host did not confirm the address is asked about, unless the group refuses it @purchase-rules-2', () => {
  for (const unverifiedSellers of ['ask', 'refuse'] as const) {
    const book = createPurchaseBook({ unverifiedSellers })
    const agent = book.addAgent()
    book.hostAnswers(false)
    if (unverifiedSellers === 'ask')
      expect(book.view(book.asked(agent).id).askedBecause).toEqual([
        {
          rule: 'group.unverified_sellers',
          message: 'api.example.com has not confirmed to Bursar that this address is its own.',
        },
      ])
    else
      expect(book.buy(agent)).toMatchObject({
        code: 'recipient_not_allowed',
        ...refusedBy('group.unverified_sellers', { max_allowed_now: '0' }),
      })
    // The pair counts: another address of a confirmed host is not confirmed.
    book.hostAnswers(true)
    book.hostAnswers(false, { payTo: addressOf(6) })
    expect(book.buy(agent, { payTo: addressOf(6) })).not.toMatchObject({ value: { payment: { status: 'QUEUED' } } })
    expect(book.buy(agent)).toMatchObject({ value: { payment: { status: 'QUEUED' } } })
    book.clock.now += 30 * dayMs
    book.hostAnswers(false)
    expect(book.buy(agent), 'confirmed too long ago').not.toMatchObject({ value: { payment: { status: 'QUEUED' } } })
    book.close()
  }
})

test('approving a purchase from an unverified seller allows that one only, and no permission covers the next @purchase-rules-3', () => {
  const book = createPurchaseBook({ approveAbove: usdc('0.5') })
  const agent = book.addAgent()
  book.hostAnswers(true)
  const row = book.asked(agent, { amount: usdc('0.6') })
  const endsAt = book.clock.now + dayMs
  expect(book.approve(row.id, { grant: { amount: usdc('10'), endsAt } })).toMatchObject({ ok: true })
  expect(book.buy(agent, { amount: usdc('0.7') }), 'covered').toMatchObject({
    value: { payment: { status: 'QUEUED' } },
  })
  book.hostAnswers(false)
  expect(book.view(book.asked(agent, { amount: usdc('0.7') }).id).askedBecause.map(({ rule }) => rule)).toEqual([
    'group.unverified_sellers',
    'above_limit',
  ])
  book.close()
})

test('a recipient is the host with the address: either one alone is new @purchase-rules-4', () => {
  const book = createPurchaseBook({ approveNewRecipient: true })
  const agent = book.addAgent()
  const [one, other] = [{ host: 'one.example.com' }, { host: 'other.example.com' }]
  for (const bought of [one, other, { ...one, payTo: addressOf(6) }]) book.hostAnswers(true, bought)
  const first = book.asked(agent, one)
  expect(book.view(first.id).askedBecause).toMatchObject([{ rule: 'new_recipient' }])
  expect(book.approve(first.id)).toMatchObject({ ok: true })
  expect(book.buy(agent, { ...one, path: '/other' }), 'any resource').toMatchObject({
    value: { payment: { status: 'QUEUED' } },
  })
  for (const bought of [other, { ...one, payTo: addressOf(6) }])
    expect(book.view(book.asked(agent, bought).id).askedBecause).toMatchObject([{ rule: 'new_recipient' }])
  // A payment to the address is none to the seller, nor the other way around.
  expect(book.pay({ principal: agent, to: { type: 'address', address: addressOf(5) } })).toMatchObject({
    value: { payment: { status: 'PENDING_APPROVAL' } },
  })
  book.close()
})

test('limits per recipient and on new ones count the host with the address @purchase-rules-5', () => {
  const limited = { period: 'day', limit: usdc('0.15'), whenExceeded: 'refuse' } as const
  const book = createPurchaseBook({
    perRecipient: limited,
    maxNewRecipients: { per: 'day', count: 2, whenExceeded: 'refuse' },
  })
  const agent = book.addAgent()
  const [one, other, third] = ['one', 'other', 'third'].map((name) => ({ host: `${name}.example.com` }))
  for (const bought of [one, other, third]) book.hostAnswers(true, bought)
  expect(book.buy(agent, one)).toMatchObject({ ok: true })
  expect(book.buy(agent, one)).toMatchObject(refusedBy('group.per_recipient', { remaining: '0.05' }))
  expect(book.buy(agent, other)).toMatchObject({ ok: true })
  expect(book.buy(agent, third)).toMatchObject(refusedBy('group.new_recipients', { count: { limit: 2, used: 2 } }))
  book.close()
})

test('repeating a purchase is not a duplicate payment @purchase-rules-6', () => {
  const book = createPurchaseBook({ duplicateMinutes: 60 })
  const agent = book.addAgent()
  book.hostAnswers(true)
  for (let i = 0; i < 3; i++) expect(book.buy(agent)).toMatchObject({ value: { payment: { status: 'QUEUED' } } })
  book.close()
})

test('an approval of a purchase shows what is bought, from whom, and whether the host confirmed the address @purchase-rules-7', () => {
  const book = createPurchaseBook({ approveAbove: usdc('0.05') })
  const agent = book.addAgent()
  const payTo = '0x52908400098527886E0F7030069857D2E4169EE7'
  const twin = '0x529084111111111111111111111111111A169Ee7'.toLowerCase() as `0x${string}`
  book.hostAnswers(false, { payTo: twin })
  book.hostAnswers(true, { payTo })
  const first = book.asked(agent, { payTo })
  expect(book.view(first.id)).toMatchObject({
    recipient: { type: 'x402', address: payTo, email: null, phone: null },
    purchase: { resource: 'GET https://api.example.com/weather', host: 'api.example.com', isConfirmed: true },
    recipientHistory: { payments: 0, lookAlike: null },
    wouldPass: { ok: true },
    canGrant: true,
  })
  expect(book.view(first.id).recipient).not.toHaveProperty('seller')
  expect(book.approve(first.id)).toMatchObject({ ok: true, value: { payment: { status: 'QUEUED' } } })
  expect(book.view(first.id).purchase, 'once it has ended').toMatchObject({ isConfirmed: null })

  const second = book.asked(agent, { payTo: twin })
  const shown = book.view(second.id)
  expect(shown).toMatchObject({
    purchase: { isConfirmed: false },
    recipientHistory: { payments: 0, lookAlike: payTo },
    canGrant: false,
  })
  // Its owner decides on what was shown.
  book.hostAnswers(true, { payTo: twin })
  expect(book.view(second.id).hash).not.toBe(shown.hash)
  expect(book.approve(second.id, { hash: shown.hash })).toMatchObject({ ok: false, code: 'conflict' })
  book.close()
})

test('an approval says whether the purchase would pass, by its own part of the session’s limit @purchase-rules-8', () => {
  const book = createPurchaseBook({ approveAbove: usdc('0.05') })
  const agent = book.addAgent()
  book.hostAnswers(true)
  const row = book.asked(agent)
  book.store.run('UPDATE session SET held = spend_limit')
  expect(book.view(row.id).wouldPass, 'sends have nothing left').toEqual({ ok: true })
  book.store.run('UPDATE session SET purchase_allowance = 0')
  expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'session.purchases' })
  book.close()
})

test('what was handed out and can still be taken is counted by wallet and agent @handed-out-2', () => {
  const book = createPurchaseBook()
  const agents = [book.addAgent(), book.addAgent()]
  book.hostAnswers(true)
  const seconds = book.clock.now / 1000
  const handOut = (agent: (typeof agents)[number], deadline: number, status = 'PROCESSING') => {
    const result = book.buy(agent)
    if ('need' in result || !result.ok) throw new Error('not accepted')
    book.store.run(
      'UPDATE payment SET status = ?1, max_deadline = ?2 WHERE id = ?3',
      status,
      deadline,
      result.value.payment.id,
    )
  }
  handOut(agents[0]!, seconds + 60)
  handOut(agents[0]!, seconds + 120)
  handOut(agents[0]!, seconds) // over
  handOut(agents[0]!, seconds + 60, 'CONFIRMED')
  handOut(agents[1]!, seconds + 90)
  book.buy(agents[1]!) // not handed out
  const shared = { walletId: 'wal', policyGroupId: book.groupId }
  expect(handedOut(book.context)).toEqual([
    { ...shared, agentId: agents[0]!.agentId, count: 2, amount: '0.2', until: isoOf((seconds + 120) * 1000) },
    { ...shared, agentId: agents[1]!.agentId, count: 1, amount: '0.1', until: isoOf((seconds + 90) * 1000) },
  ])
  book.close()
})
