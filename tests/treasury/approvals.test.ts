import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxPending } from '#domain/approval.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import { decideAmount } from '#domain/policy.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { unwrap } from '../../worker/result.ts'
import { requestBudget } from '../../worker/treasury/approvals/ask.ts'
import { deny } from '../../worker/treasury/approvals/decisions/decide.ts'
import { listApprovals } from '../../worker/treasury/approvals/decisions/views.ts'
import { endAllOverdue, pruneApprovals } from '../../worker/treasury/approvals/end.ts'
import { endGrant } from '../../worker/treasury/approvals/grants.ts'
import { setSettings } from '../../worker/treasury/approvals/settings.ts'
import { groupPolicy } from '../../worker/treasury/core/storage/groupPolicy.ts'
import type { ApprovalRow, GrantRow, GroupRow } from '../../worker/treasury/core/storage/rows.ts'
import { verifyAudit } from '../../worker/treasury/ledger/audit.ts'
import { walletFunds } from '../../worker/treasury/ledger/balances.ts'
import { recoverablePayment } from '../../worker/treasury/outbox/delivery/recoverableRows.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { deleteAgent, replaceCredential } from '../../worker/treasury/reports/changes/agents.ts'
import { confirmContact, contactChanged } from '../../worker/treasury/reports/changes/contacts.ts'
import { deleteGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { setPaused } from '../../worker/treasury/reports/changes/pausing.ts'
import { by, contactId, createApprovalBook, known } from '../support/approvalBook.ts'
import { addressOf, payInput, toAddress, usdc } from '../support/build.ts'

/** Approvals and grants over the Treasury's real tables and rules, without a chain. */

const sequences = Number(process.env.FUZZ_SEQUENCES ?? 40)

const to = toAddress

describe('asking for approval', () => {
  test('a payment above the limit waits for approval and holds nothing; one at the limit is accepted @approvals-1', () => {
    const book = createApprovalBook({ approveAbove: usdc('10') })
    const agent = book.addAgent()
    expect(book.ask(agent, to(9), usdc('10'))).toMatchObject({ ok: true, value: { payment: { status: 'QUEUED' } } })
    const row = book.asked(agent, to(9), usdc('10.000001'), 'key-a')
    expect(row).toMatchObject({ status: 'PENDING', reason: 'rent' })
    expect(book.store.payment(row.payment_id!)).toMatchObject({ to_address: addressOf(9), accepted_at: null })
    expect(book.store.group(book.groupId)!.held).toBe(10_000_000)
    expect(book.payments()).toHaveLength(1)
    expect(book.view(row.id)).toMatchObject({ askedBecause: [{ rule: 'above_limit' }], wouldPass: { ok: true } })
    // The same key returns the same approval; other content under that key is refused.
    expect(book.ask(agent, to(9), usdc('10.000001'), 'key-a')).toMatchObject({
      value: { payment: { id: row.payment_id, status: 'PENDING_APPROVAL' }, replayed: true },
    })
    expect(book.ask(agent, to(9), usdc('11'), 'key-a')).toMatchObject({ code: 'idempotency_key_reused' })
    expect(book.approve(row.id)).toMatchObject({ ok: true, value: { payment: { id: row.payment_id } } })
    expect(book.ask(agent, to(9), usdc('10.000001'), 'key-a')).toMatchObject({
      value: { payment: { id: row.payment_id, approval_id: row.id }, replayed: true },
    })
  })

  test('a payment that another rule refuses is refused without asking for approval @approvals-2', () => {
    const book = createApprovalBook({ approveAbove: usdc('1'), maxPayment: usdc('50') })
    expect(book.ask(book.addAgent(), to(9), usdc('51'))).toMatchObject({ code: 'payment_limit_exceeded' })
    expect(listApprovals(book.context, { status: 'all', agentId: null, after: null }).approvals).toEqual([])
  })

  test('payments to a recipient need approval until one has been approved, however its address is given @approvals-3', () => {
    const book = createApprovalBook({ approveNewRecipient: true })
    const agent = book.addAgent()
    const first = book.asked(agent, to(9), usdc('1'))
    // Another new recipient needs approval as well, whether its address is in lower or upper case.
    const upper = `0x${addressOf(0xabc).slice(2).toUpperCase()}` as const
    const other = book.asked(agent, to(0xabc), usdc('1'))
    book.asked(agent, { type: 'address', address: upper }, usdc('1'))
    expect(book.view(first.id).askedBecause).toMatchObject([{ rule: 'new_recipient' }])
    expect(book.approve(first.id).ok).toBe(true)
    expect(book.ask(agent, to(9), usdc('2'))).toMatchObject({ value: { payment: { to_address: addressOf(9) } } })
    expect(book.approve(other.id).ok).toBe(true)
    expect(book.ask(agent, { type: 'address', address: upper }, usdc('2'))).toMatchObject({
      value: { payment: { to_address: upper } },
    })
    // The contact's address, given as such and through the contact.
    const contact: Recipient = { type: 'contact', contactId }
    const direct = book.asked(agent, to(7), usdc('1'))
    book.asked(agent, contact, usdc('1'))
    expect(book.approve(direct.id).ok).toBe(true)
    expect(book.ask(agent, contact, usdc('2'))).toMatchObject({ value: { payment: { to_address: addressOf(7) } } })
    // A payment of test money does not make a recipient known.
    const columns =
      'kind, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at'
    book.store.run(
      `INSERT INTO wallet (id, chain_id, address, ${columns}) SELECT 'test', 84532, 'other', ${columns} FROM wallet`,
    )
    book.store.run("UPDATE payment SET wallet_id = 'test'")
    book.store.run('UPDATE paid_recipient SET chain_id = 84532')
    book.asked(agent, to(9), usdc('3'))
  })

  test('the same amount to the same recipient under another key needs approval within duplicateMinutes @approvals-4', () => {
    const book = createApprovalBook({ duplicateMinutes: 10 })
    const [agent, colleague] = [book.addAgent(), book.addAgent()]
    expect(book.ask(agent, to(9), usdc('5')).ok).toBe(true)
    expect(book.view(book.asked(colleague, to(9), usdc('5')).id).askedBecause).toMatchObject([{ rule: 'duplicate' }])
    expect(book.ask(agent, to(9), usdc('5.1'))).toMatchObject({ value: { replayed: false } })
    expect(book.ask(agent, to(8), usdc('5'))).toMatchObject({ value: { replayed: false } })
    book.clock.now += 10 * minuteMs
    expect(book.ask(agent, to(8), usdc('5'))).toMatchObject({ value: { payment: { to_address: addressOf(8) } } })
  })

  test('a denied payment is refused for 24 hours, whatever its key, memo and reference @approvals-5', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const agent = book.addAgent()
    const row = book.asked(agent, to(9), usdc('5'), 'key-a')
    expect(book.refuse(row.id)).toMatchObject({
      ok: true,
      value: { decided: { status: 'DENIED', decided_by: 'usr_test' } },
    })
    const again = book.ask(agent, to(9), usdc('5'), 'key-b', { memo: 'another memo', reference: 'another reference' })
    expect(again).toMatchObject({ ok: false, code: 'approval_denied', refusal: { id: row.payment_id } })
    expect(book.ask(agent, to(9), usdc('5'), 'key-a')).toMatchObject({ code: 'approval_denied' })
    expect(book.store.payment(row.payment_id!)).toMatchObject({
      status: 'POLICY_REJECTED',
      error_code: 'approval_denied',
    })
    book.clock.now += dayMs
    expect(book.asked(agent, to(9), usdc('5')).status).toBe('PENDING')
  })

  test('an undecided approval ends as EXPIRED, with or without its alarm @approvals-6', () => {
    const book = createApprovalBook({ approveAbove: usdc('1'), approvalTtlHours: 2 })
    const agent = book.addAgent()
    const row = book.asked(agent, to(9), usdc('5'), 'key-a')
    const { hash } = book.view(row.id)
    book.clock.now += 2 * hourMs
    expect(book.approve(row.id, { hash })).toMatchObject({ ok: false, code: 'conflict' })
    expect(book.context.store.approval(row.id)).toMatchObject({ status: 'EXPIRED', decided_by: null })
    expect(book.ask(agent, to(9), usdc('5'), 'key-a')).toMatchObject({ code: 'approval_expired' })
    expect(book.payments()).toEqual([])
    expect(endAllOverdue(book.context)).toBeNull()
    // After 30 days only the idempotency key is left, and it still never pays.
    book.clock.now += 31 * dayMs
    pruneApprovals(book.context)
    expect(book.context.store.approval(row.id)).toBeNull()
    expect(book.ask(agent, to(9), usdc('5'), 'key-a')).toMatchObject({ code: 'approval_expired' })
  })

  test('an agent that asks in a loop gets at most ten pending approvals and a hundred a day, and fills no table @approvals-7', () => {
    const times = Number(process.env.APPROVAL_ASKS ?? 500)
    const book = createApprovalBook({ approveAbove: usdc('0.01') }, null)
    book.context.limits = { ...book.context.limits, agentApprovalsPerDay: 100 }
    const agent = book.addAgent()
    const codes = new Map<string, number>()
    for (let n = 0; n < times; n++) {
      const result = book.ask(agent, to(9 + n), usdc('5'))
      const code = result.ok ? 'asked' : result.code
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect(Object.fromEntries(codes)).toEqual({ asked: maxPending.agent, approvals_full: times - maxPending.agent })
    // The agent cancels its requests to ask for more, until its daily share is used up.
    for (let n = 0; n < times; n++) {
      const open = book.store.first<{ payment_id: string }>("SELECT payment_id FROM approval WHERE status = 'PENDING'")
      if (open) cancelPayment(book.context, agent, open.payment_id)
      book.ask(agent, to(10_000 + n), usdc('5'))
    }
    const rows = (table: string) => book.store.first<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n
    expect(rows('approval')).toBe(100)
    expect(rows('idempotency')).toBe(100)
    expect(rows('audit')).toBeLessThan(220)
    expect(rows('payment')).toBe(100)
    expect(book.payments(), 'none was accepted').toEqual([])
  })

  test('an account has at most 50 pending approvals @approvals-8', () => {
    const book = createApprovalBook({ approveAbove: usdc('0.01') }, null)
    for (let a = 0; a < 5; a++) {
      const agent = book.addAgent()
      for (let n = 0; n < 10; n++) book.asked(agent, to(100 + a * 10 + n), usdc('1'))
    }
    expect(book.ask(book.addAgent(), to(9), usdc('1'))).toMatchObject({ code: 'approvals_full' })
  })
})

describe('deciding an approval', () => {
  test('a decision is a conflict if the approval has changed since it was shown @approvals-9', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const agent = book.addAgent()
    const row = book.asked(agent, to(9), usdc('5'))
    const { hash } = book.view(row.id)
    // An identical payment is made in the meantime.
    book.edit({ approveAbove: null })
    expect(book.ask(agent, to(9), usdc('5')).ok).toBe(true)
    expect(book.view(row.id).equalPaymentsSince).toBe(1)
    expect(book.approve(row.id, { hash })).toMatchObject({ code: 'conflict', field: 'hash' })
    expect(deny(book.context, row.id, { hash: 'f'.repeat(64), by, pauseAgent: false })).toMatchObject({ field: 'hash' })
    expect(book.context.store.approval(row.id)!.status).toBe('PENDING')
    expect(book.approve(row.id).ok).toBe(true)
  })

  test('the rules at the time of the decision apply, and a refusal leaves the approval pending @approvals-10', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const agent = book.addAgent()
    const row = book.asked(agent, to(9), usdc('500'))
    book.edit({ approveAbove: usdc('1'), maxPayment: usdc('100') })
    expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'group.max_payment' })
    expect(book.approve(row.id)).toMatchObject({ code: 'approval_refused', refusal: { rule: 'group.max_payment' } })
    setPaused(book.context, { kind: 'agent', id: agent.agentId }, true)
    book.edit({ maxPayment: null })
    expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'agent.paused' })
    expect(book.approve(row.id)).toMatchObject({ code: 'approval_refused' })
    setPaused(book.context, { kind: 'agent', id: agent.agentId }, false)
    replaceCredential(book.context, agent.agentId, { kind: 'api_key', hash: 'new', endsAt: book.clock.now })
    expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'agent.credential' })
    expect(book.approve(row.id)).toMatchObject({ code: 'approval_refused' })
    expect(book.payments()).toEqual([])
    expect(book.context.store.approval(row.id)!.status).toBe('PENDING')
    expect(book.events().map(({ event }) => event)).toEqual(['approval.requested'])
  })

  test('a contact is paid at the address that the owner was shown, or not at all @approvals-11', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const row = book.asked(book.addAgent(), { type: 'contact', contactId }, usdc('5'))
    const now = { address: addressOf(8), email: null, phone: null }
    contactChanged(book.context, contactId, { ...now, name: 'Grace' })
    expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'whitelist.snapshot' })
    confirmContact(book.context, book.groupId, contactId, now)
    expect(book.view(row.id).wouldPass).toMatchObject({ ok: false, rule: 'whitelist.snapshot' })
    expect(book.approve(row.id)).toMatchObject({ code: 'approval_refused' })
    expect(book.payments()).toEqual([])
  })

  test('an approval is decided once, and the audit log says by whom @approvals-12', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const [agent, other] = [book.addAgent(), book.addAgent()]
    const [one, two, three] = [1, 2, 3].map((n) => book.asked(n < 3 ? agent : other, to(n + 9), usdc('5')))
    const hashes = [one!, two!].map(({ id }) => book.view(id).hash)
    expect(book.approve(one!.id).ok).toBe(true)
    expect(book.approve(one!.id, { hash: hashes[0]! })).toMatchObject({
      ok: true,
      value: { decided: { status: 'APPROVED' } },
    })
    expect(book.refuse(one!.id)).toMatchObject({ code: 'conflict' })
    expect(book.refuse(two!.id, true).ok).toBe(true)
    expect(book.approve(two!.id, { hash: hashes[1]! })).toMatchObject({ code: 'conflict' })
    expect(book.store.agent(agent.agentId)!.paused).toBe(1)
    deleteAgent(book.context, other.agentId)
    expect(book.context.store.approval(three!.id)).toMatchObject({ status: 'CANCELLED', cancelled: 'agent_deleted' })
    expect(book.payments()).toHaveLength(1)
    const decided = book
      .events()
      .slice(3)
      .map(({ event, data }) => [event, (JSON.parse(data) as { by?: string }).by])
    expect(decided).toEqual([
      ['approval.approved', 'usr_test'],
      ['approval.denied', 'usr_test'],
      ['approval.cancelled', undefined],
    ])
    expect(verifyAudit(book.store).brokenAt).toBeNull()
  })

  test('an approved payment is backed up with the idempotency key of its request @restore-20', () => {
    const book = createApprovalBook({ approveAbove: usdc('10') })
    const row = book.asked(book.addAgent(), { type: 'address', address: addressOf(2) }, usdc('11'), 'rent-june')
    expect(book.approve(row.id)).toMatchObject({ ok: true })
    const kept = JSON.parse(recoverablePayment(book.store, book.payments()[0]!)!)
    expect(kept.request).toMatchObject({ key: `${row.agent_id}|rent-june` })
  })

  test('approving above the owner’s limit needs the password, and so does raising that limit @approvals-13', () => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const row = book.asked(book.addAgent(), to(9), usdc('5'))
    const set = (text: string | null, passwordChecked = false) =>
      setSettings(book.context, { passwordAbove: text === null ? null : usdc(text), by, passwordChecked })
    expect(set('5').ok).toBe(true)
    expect(book.view(row.id).needsPassword).toBe(false)
    const grant = { amount: usdc('100'), endsAt: book.clock.now + hourMs }
    expect(book.approve(row.id, { grant })).toMatchObject({ code: 'password_required', field: 'password' })
    expect(set('4.999999').ok).toBe(true)
    expect(book.view(row.id).needsPassword).toBe(true)
    expect(book.approve(row.id)).toMatchObject({ code: 'password_required' })
    expect(set('6')).toMatchObject({ code: 'password_required' })
    expect(set(null)).toMatchObject({ code: 'password_required' })
    expect(book.approve(row.id, { grant, passwordChecked: true }).ok).toBe(true)
    expect(set(null, true).ok).toBe(true)
  })

  test('approving a budget request twice raises the limit once @approvals-14', () => {
    const book = createApprovalBook({}, usdc('10'))
    const agent = book.addAgent()
    const request = { principal: agent, key: 'key-b', amount: usdc('25'), reason: 'more' }
    const first = unwrap(requestBudget(book.context, request))
    expect(requestBudget(book.context, request)).toMatchObject({
      value: { row: { id: first.row.id }, replayed: true },
    })
    expect(book.ask(agent, to(9), usdc('25'), 'key-b')).toMatchObject({ code: 'idempotency_key_reused' })
    expect(book.store.group(book.groupId)!.spend_limit).toBe(10_000_000)
    expect(book.approve(first.row.id).ok).toBe(true)
    expect(book.approve(first.row.id).ok).toBe(true)
    expect(book.store.group(book.groupId)!.spend_limit).toBe(35_000_000)
    const second = unwrap(requestBudget(book.context, { ...request, key: 'key-c' }))
    book.refuse(second.row.id)
    expect(requestBudget(book.context, { ...request, key: 'key-d' })).toMatchObject({ code: 'approval_denied' })
  })
})

describe('grants', () => {
  const grant = (book: ReturnType<typeof createApprovalBook>, amount: string) => ({
    grant: { amount: usdc(amount), endsAt: book.clock.now + 10 * hourMs },
  })

  test('a grant lets its agent pay its address without approval, up to its amount and end @approvals-15', () => {
    const book = createApprovalBook({ approveAbove: usdc('1'), approveNewRecipient: true })
    const [agent, other] = [book.addAgent(), book.addAgent()]
    const row = book.asked(agent, to(9), usdc('5'))
    expect(book.approve(row.id, grant(book, '12')).ok).toBe(true)
    const { grantId } = book.view(row.id)
    expect(book.ask(agent, to(9), usdc('7'))).toMatchObject({ value: { payment: { grant_id: grantId } } })
    book.asked(agent, to(9), usdc('5.000001'))
    book.asked(other, to(9), usdc('5'))
    book.asked(agent, to(8), usdc('5'))
    expect(book.ask(agent, to(9), usdc('5'))).toMatchObject({ value: { payment: { grant_id: grantId } } })
    expect(book.context.store.grant(grantId!)).toMatchObject({ used: 12_000_000 })
    // The amount of a payment that was never sent is available again.
    const last = book.payments().at(-1)!
    cancelPayment(book.context, agent, last.id)
    expect(book.context.store.grant(grantId!)).toMatchObject({ used: 7_000_000 })
    book.clock.now += 10 * hourMs
    book.asked(agent, to(9), usdc('5'))
  })

  test('a grant overrides neither other rules nor the duplicate check @approvals-16', () => {
    const book = createApprovalBook({ approveAbove: usdc('1'), duplicateMinutes: 60, maxPayment: usdc('50') })
    const agent = book.addAgent()
    book.approve(book.asked(agent, to(9), usdc('5')).id, grant(book, '1000'))
    expect(book.view(book.asked(agent, to(9), usdc('5')).id).askedBecause).toMatchObject([
      { rule: 'above_limit' },
      { rule: 'duplicate' },
    ])
    expect(book.ask(agent, to(9), usdc('51'))).toMatchObject({ code: 'payment_limit_exceeded' })
    expect(book.store.first<GrantRow>('SELECT * FROM approval_grant')!.used).toBe(0)
  })

  test.each<[string, (book: ReturnType<typeof createApprovalBook>, agent: string) => unknown]>([
    ['policy_changed', (book) => book.edit({ maxPayment: usdc('900') })],
    [
      'credential_changed',
      ({ context }, agent) =>
        replaceCredential(context, agent, { kind: 'secret', hash: 'x', endsAt: context.now() + hourMs }),
    ],
    [
      'contact_changed',
      ({ context }) => contactChanged(context, contactId, { address: addressOf(8), email: null, phone: null }),
    ],
    ['contact_changed', ({ context }) => contactChanged(context, contactId, null)],
    ['agent_deleted', ({ context }, agent) => deleteAgent(context, agent)],
    ['group_deleted', ({ context, groupId }) => deleteGroup(context, groupId)],
  ])('a grant ends as %s when what it was based on changes @approvals-17', (why, change) => {
    const book = createApprovalBook({ approveAbove: usdc('1') })
    const agent = book.addAgent()
    const row = book.asked(agent, { type: 'contact', contactId }, usdc('5'))
    book.approve(row.id, grant(book, '100'))
    change(book, agent.agentId)
    expect(book.context.store.grant(book.view(row.id).grantId!)).toMatchObject({ end_reason: why })
    expect(book.events().at(-1)).toMatchObject({ event: 'grant.ended' })
  })
})

/** One step of a history. Indexes wrap around the number of existing items. */
type Step =
  | { do: 'ask'; agent: number; to: number; amount: number; replay: boolean }
  | { do: 'approve'; nth: number; grant: number | null; stale: boolean; password: boolean }
  | { do: 'deny'; nth: number; pause: boolean }
  | { do: 'cancel'; nth: number }
  | { do: 'endGrant'; nth: number }
  | { do: 'edit'; above: number | null; fresh: boolean; minutes: number; max: number | null; budget: number }
  | { do: 'pause'; agent: number; paused: boolean }
  | { do: 'credential'; agent: number; now: boolean }
  | { do: 'contact'; address: number | null; rename: boolean }
  | { do: 'confirm' }
  | { do: 'deleteAgent'; agent: number }
  | { do: 'deleteGroup'; nth: number }
  | { do: 'limit'; above: number | null }
  | { do: 'time'; hours: number }

const small = fc.integer({ min: 0, max: 5 })
const money = fc.integer({ min: 1, max: 60 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      agent: small,
      to: small,
      amount: money,
      replay: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('approve' as const),
      nth: small,
      grant: fc.option(money),
      stale: fc.constantFrom(false, false, false, true),
      password: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deny' as const), nth: small, pause: fc.boolean() }) },
  fc.record({ do: fc.constant('cancel' as const), nth: small }),
  fc.record({ do: fc.constant('endGrant' as const), nth: small }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      above: fc.option(money),
      fresh: fc.boolean(),
      minutes: fc.constantFrom(0, 0, 90),
      max: fc.option(money),
      budget: fc.integer({ min: 50, max: 400 }),
    }),
  },
  fc.record({ do: fc.constant('pause' as const), agent: small, paused: fc.boolean() }),
  fc.record({ do: fc.constant('credential' as const), agent: small, now: fc.boolean() }),
  fc.record({ do: fc.constant('contact' as const), address: fc.option(fc.constantFrom(7, 8)), rename: fc.boolean() }),
  fc.record({ do: fc.constant('confirm' as const) }),
  fc.record({ do: fc.constant('deleteAgent' as const), agent: small }),
  fc.record({ do: fc.constant('deleteGroup' as const), nth: small }),
  fc.record({ do: fc.constant('limit' as const), above: fc.option(money) }),
  fc.record({ do: fc.constant('time' as const), hours: fc.integer({ min: 0, max: 15 }) }),
)

const units = (n: number) => usdc(String(n))

test('I16: no sequence of steps lets through a payment that the rules at its decision refuse @approvals-18', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const book = createApprovalBook({ approveAbove: usdc('10'), approvalTtlHours: 20 }, usdc('300'))
      const { context, store, clock } = book
      const agents = [book.addAgent(), book.addAgent()].map((agent) => ({ ...agent }))
      const keys: { agent: number; to: Recipient; amount: MicroUsdc; key: string }[] = []
      const nth = <T>(list: T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
      const all = () => store.all<ApprovalRow>('SELECT * FROM approval ORDER BY asked_at, id')
      /** Returns the group even if it is deleted. */
      const anyGroup = () => store.first<GroupRow & { deleted_at: number | null }>('SELECT * FROM policy_group')!
      let asked = 0

      for (const each of steps) {
        const before = { payments: book.payments().length, approvals: all(), group: anyGroup() }
        const grantsBefore = store.all<GrantRow>('SELECT * FROM approval_grant')
        const funds = walletFunds(store, store.wallet('wal')!, store.session('wal'))
        let decided: {
          payment_id: string | null
          amount: number
          expires_at: number
          to_address: string | null
        } | null = null
        clock.now += 1_000
        switch (each.do) {
          case 'ask': {
            const old = each.replay ? nth(keys, each.to) : undefined
            const recipient = each.to === 5 ? { type: 'contact' as const, contactId } : to(20 + each.to)
            const request = old ?? {
              agent: each.agent % 2,
              to: recipient,
              amount: units(each.amount),
              key: `k${++asked}`,
            }
            if (!old) keys.push(request)
            const snapshot = store.first<{ address: `0x${string}` }>('SELECT address FROM whitelist')?.address ?? null
            const { agent, ...fields } = request
            const input = payInput({ ...fields, principal: agents[agent]! })
            const result = accept(context, input, known(request.to, snapshot))
            if ('need' in result) throw new Error(`needs ${result.need}`)
            break
          }
          case 'approve': {
            const row = nth(all(), each.nth)
            if (!row) break
            const shown = book.view(row.id)
            const { to_address } = store.payment(row.payment_id!)!
            const result = book.approve(row.id, {
              hash: each.stale ? '0'.repeat(64) : shown.hash,
              passwordChecked: each.password,
              grant: each.grant === null ? null : { amount: units(each.grant), endsAt: clock.now + 5 * hourMs },
            })
            // The outcome is the one that the owner was shown.
            const missing = result.ok ? null : result.code
            if (row.status === 'PENDING' && missing !== 'conflict' && missing !== 'password_required')
              expect([result.ok, missing]).toEqual(shown.wouldPass?.ok ? [true, null] : [false, 'approval_refused'])
            if (result.ok && row.status === 'PENDING') decided = { ...row, to_address }
            break
          }
          case 'deny': {
            const row = nth(all(), each.nth)
            if (row) book.refuse(row.id, each.pause)
            break
          }
          case 'cancel': {
            const row = nth(all(), each.nth)
            if (row) cancelPayment(context, agents.find(({ agentId }) => agentId === row.agent_id)!, row.payment_id!)
            break
          }
          case 'endGrant': {
            const row = nth(grantsBefore, each.nth)
            if (row) endGrant(context, row.id, by)
            break
          }
          case 'edit':
            book.edit({
              approveAbove: each.above === null ? null : units(each.above),
              approveNewRecipient: each.fresh,
              duplicateMinutes: each.minutes,
              maxPayment: each.max === null ? null : units(each.max),
              spendLimit: units(each.budget),
            })
            break
          case 'pause':
            setPaused(context, { kind: 'agent', id: agents[each.agent % 2]!.agentId }, each.paused)
            break
          case 'credential': {
            const agent = agents[each.agent % 2]!
            const hash = `k${clock.now}`
            const endsAt = clock.now + (each.now ? 0 : dayMs)
            if (replaceCredential(context, agent.agentId, { kind: 'api_key', hash, endsAt }).ok)
              Object.assign(agent, { credentialHash: hash })
            break
          }
          case 'contact': {
            const now = {
              address: each.address === null ? addressOf(7) : addressOf(each.address),
              email: null,
              phone: null,
            }
            contactChanged(context, contactId, { ...now, name: each.rename ? `Grace ${clock.now}` : 'Grace' })
            break
          }
          case 'confirm': {
            const now = store.first<{ address: string }>('SELECT address FROM contact_now')
            if (now)
              confirmContact(context, book.groupId, contactId, { address: now.address, email: null, phone: null })
            break
          }
          case 'deleteAgent':
            // Rarely, so that most histories keep both agents.
            if (each.agent === 5) deleteAgent(context, agents[1]!.agentId)
            break
          case 'deleteGroup':
            if (each.nth !== 5) break
            deleteGroup(context, book.groupId)
            expect(all().filter(({ status }) => status === 'PENDING')).toEqual([])
            break
          case 'limit':
            setSettings(context, {
              passwordAbove: each.above === null ? null : units(each.above),
              by,
              passwordChecked: true,
            })
            break
          case 'time':
            clock.now += each.hours * hourMs
            endAllOverdue(context)
        }

        // The step made at most one payment, and every rule in force allows it.
        const made = book.payments().slice(before.payments)
        expect(made.length).toBeLessThanOrEqual(1)
        const [payment] = made
        if (payment) {
          const agent = store.agent(payment.agent_id!)!
          const policy = groupPolicy(before.group, agent, false)
          const amount = BigInt(payment.amount) as MicroUsdc
          const allowed = decideAmount(policy, funds, amount, clock.now, {
            isPayout: false,
            amount,
            at: clock.now,
            recipient: null,
            used: {},
          })
          expect(allowed).toEqual({ ok: true })
          expect(agent.paused).toBe(0)
          expect(before.group.deleted_at).toBeNull()
          const valid = 'SELECT 1 FROM credential WHERE agent_id = ? AND (expires_at IS NULL OR expires_at > ?)'
          expect(store.first(valid, agent.id, clock.now)).not.toBeNull()
          if (payment.to_type === 'contact')
            expect(store.first<{ address: string; stale: number }>('SELECT * FROM whitelist')).toMatchObject({
              address: payment.to_address,
              stale: 0,
            })
          const grant = grantsBefore.find(({ id }) => id === payment.grant_id)
          const alone = policy.rules.approveAbove === null || amount <= policy.rules.approveAbove
          // Above the limit, a payment needs a person's approval or a grant.
          if (!alone) expect([payment.approval_id !== null, grant !== undefined]).toContain(true)
          if (payment.approval_id !== null) {
            expect(decided).toMatchObject({
              payment_id: payment.id,
              to_address: payment.to_address,
              amount: payment.amount,
            })
            expect(decided!.expires_at).toBeGreaterThan(clock.now)
          }
          if (grant) {
            expect(grant).toMatchObject({ agent_id: agent.id, address: payment.to_address, ended_at: null })
            expect(grant.ends_at).toBeGreaterThan(clock.now)
            expect(grant.used + payment.amount).toBeLessThanOrEqual(grant.spend_limit)
          }
        }
        // Ended approvals do not change, and pending ones hold no money.
        for (const row of before.approvals.filter(({ status }) => status !== 'PENDING'))
          expect(context.store.approval(row.id)).toMatchObject({ status: row.status, ended_at: row.ended_at })
        const held = book.payments().reduce((sum, row) => sum + (row.status === 'QUEUED' ? row.amount : 0), 0)
        expect(anyGroup().held).toBe(held)
      }

      // Each approval has at most one payment, each grant stays within its amount, and the audit log names who decided.
      for (const row of all()) {
        const paid = book.payments().filter(({ approval_id }) => approval_id === row.id)
        expect(paid.map(({ id }) => id)).toEqual(row.status === 'APPROVED' ? [row.payment_id] : [])
        const [entry] = store.all<{ data: string }>(
          "SELECT data FROM audit WHERE ref = ? AND event IN ('approval.approved', 'approval.denied')",
          row.id,
        )
        expect(entry && (JSON.parse(entry.data) as { by: string }).by).toBe(row.decided_by ?? undefined)
      }
      for (const row of store.all<GrantRow>('SELECT * FROM approval_grant')) {
        const paid = book.payments().filter(({ grant_id }) => grant_id === row.id)
        const live = paid.filter(({ status }) => status !== 'CANCELLED' && status !== 'FAILED')
        expect(live.reduce((sum, { amount }) => sum + amount, 0)).toBe(row.used)
        expect(formatUsdc(BigInt(row.used))).toBe(formatUsdc(BigInt(Math.min(row.used, row.spend_limit))))
      }
      expect(verifyAudit(store).brokenAt).toBeNull()
    }),
    { numRuns: sequences },
  )
})
