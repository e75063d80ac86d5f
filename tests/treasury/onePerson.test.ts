/**
 * I22 over random sequences: one person has the owner's mailbox and Bob's, and five agents, and does whatever the calls of the
 * owner, of /v1, of /mcp and of consent allow. The rule is read from the rows of payments alone: when each was accepted, of how
 * much, by whom, and who decided about it.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { toEmail, usdc } from '../support/build.ts'
import { cases } from '../support/cases.ts'
import { bob, createSecondPersonBook, owner, type SecondPersonBook, type Someone } from '../support/secondPersonBook.ts'

/** What is true in the story, as far as I22 asks: it does not read the account. */
type Story = {
  book: SecondPersonBook
  memberId: string | null
  /** Since when Bob is an approver (ms); null while he is not. */
  approverSince: number | null
  /** The groups with the rules that Bob has agreed to. */
  confirmed: Set<string>
  limits: { from: number; above: bigint | null }[]
  /** What runs reserved with one person behind them. */
  reserved: { at: number; amount: bigint }[]
}

const limitAt = ({ limits }: Story, at: number) => limits.filter(({ from }) => from <= at).at(-1)!.above

/** Bob has been an approver for a day, and has had his password for a day. */
const isSecond = ({ approverSince, book }: Story, at: number) =>
  approverSince !== null && Math.max(approverSince, book.passwordAt[bob]) + dayMs <= at

type Step = { amount: number; pick: number; who: Someone; ms: number }
const groupOf = ({ groupId, otherGroupId }: SecondPersonBook, pick: number) => (pick % 2 === 0 ? groupId : otherGroupId)

/** What the person may do. Most of it may be refused. */
const acts = {
  send: ({ book }: Story, { amount }: Step) => book.payAsOwner(`${amount}`),
  payout: ({ book }: Story, { amount }: Step) => book.payAsOwner(`${amount}`, toEmail()),
  agentPays: ({ book }: Story, { amount, pick }: Step) => book.payAsAgent(pick, `${amount}`),
  agentPaysOut: ({ book }: Story, { amount, pick }: Step) => book.payAsAgent(pick, `${amount}`, toEmail()),
  agentBuys: ({ book }: Story, { amount }: Step) => book.buy(amount % 2 === 0 ? '1' : '0.1'),
  connect: ({ book }: Story, { pick }: Step) => book.connect(groupOf(book, pick)),
  appPays: ({ book }: Story, { amount }: Step) => book.agents[4] && book.payAsAgent(4, `${amount}`),
  /** A run of the owner or of Bob, decided at once by whoever may, and one of its rows paid. */
  run(story: Story, { amount, pick, who }: Step) {
    const { book, approverSince, reserved } = story
    if (who === bob && approverSince === null) return
    const made = book.makeRun(pick % 2 === 0 ? owner : who, [`${amount}`, '5'])
    const decided = book.approveRun(who, made)
    if (!('need' in decided) && decided.ok) {
      const isByTwo = who === bob && isSecond(story, book.clock.now)
      if (!isByTwo) reserved.push({ at: book.clock.now, amount: BigInt(usdc(`${amount + 5}`)) })
      book.payRow(made, 1)
    }
  },
  cancel({ book: { context, store, agents } }: Story) {
    const waiting = store.first<{ id: string; agent_id: string }>(
      "SELECT id, agent_id FROM payment WHERE status IN ('QUEUED', 'PENDING_APPROVAL') AND agent_id IS NOT NULL LIMIT 1",
    )
    const agent = agents.find((one) => one.agentId === waiting?.agent_id)
    if (waiting && agent) cancelPayment(context, agent, waiting.id)
  },
  askForBudget: ({ book }: Story, { amount, pick }: Step) => book.askForBudget(pick, `${amount}`),
  approve({ book, approverSince, confirmed }: Story, { who, pick }: Step) {
    const waiting = book.pending()[pick]
    if (!waiting || (who === bob && (approverSince === null || waiting.kind === 'budget'))) return
    if (book.approveAs(who, waiting.id).ok && waiting.kind === 'budget') confirmed.delete(waiting.group_id)
  },
  grant({ book }: Story, { pick, amount }: Step) {
    const waiting = book.pending()[pick]
    if (waiting?.kind !== 'payment') return
    book.approveAs(owner, waiting.id, { amount: usdc(`${amount * 10}`), endsAt: book.clock.now + 30 * dayMs })
  },
  deny({ book, approverSince }: Story, { who, pick }: Step) {
    const waiting = book.pending()[pick]
    if (waiting && (who === owner || approverSince !== null)) book.denyAs(who, waiting.id)
  },
  limit(story: Story, { amount, pick }: Step) {
    const { book, limits } = story
    const above = pick === 0 ? null : amount * 2
    if (!book.setLimit(above === null ? null : `${above}`).ok) return
    const { now } = book.clock
    const current = limitAt(story, now)
    const next = above === null ? null : BigInt(usdc(`${above}`))
    const isLess = current !== null && (next === null || next > current)
    // What was to come is called off.
    while (limits.at(-1)!.from > now) limits.pop()
    limits.push({ from: isLess ? now + dayMs : now, above: next })
  },
  confirm(story: Story, { who, pick }: Step) {
    const { book, approverSince, confirmed } = story
    if (who === bob && approverSince === null) return
    const group = groupOf(book, pick)
    if (book.confirm(who, group).ok && who === bob && isSecond(story, book.clock.now)) confirmed.add(group)
  },
  topUp({ book, confirmed }: Story, { pick }: Step) {
    const group = groupOf(book, pick)
    if (book.topUp(group).ok) confirmed.delete(group)
  },
  rename({ book, confirmed }: Story, { pick }: Step) {
    const group = groupOf(book, pick)
    if (book.rename(group).ok) confirmed.delete(group)
  },
  join(story: Story) {
    if (story.memberId !== null) return
    story.memberId = story.book.joinBob()
    story.approverSince = story.book.clock.now
  },
  leave(story: Story) {
    if (story.memberId !== null) story.book.removeBob(story.memberId)
    Object.assign(story, { memberId: null, approverSince: null })
  },
  demote(story: Story) {
    if (story.memberId !== null && story.book.setRole(story.memberId, 'viewer').ok) story.approverSince = null
  },
  promote(story: Story) {
    if (story.memberId === null || story.approverSince !== null) return
    if (story.book.setRole(story.memberId, 'approver').ok) story.approverSince = story.book.clock.now
  },
  newPassword({ book }: Story) {
    book.passwordAt[bob] = book.clock.now
  },
  later: ({ book }: Story, { ms }: Step) => book.later(ms),
  midnight: ({ book }: Story, { pick }: Step) => book.later(dayMs - (book.clock.now % dayMs) + (pick % 3) - 1),
} satisfies Record<string, (story: Story, step: Step) => unknown>

const often = ['send', 'agentPays', 'agentPays', 'appPays', 'approve', 'approve', 'limit', 'later', 'later'] as const
const named = Object.keys(acts) as (keyof typeof acts)[]
const step = fc.record({
  act: fc.constantFrom(...named, ...often),
  amount: fc.integer({ min: 1, max: 120 }),
  pick: fc.nat(3),
  who: fc.constantFrom<Someone[]>(owner, bob),
  ms: fc.constantFrom(1, minuteMs, 15 * minuteMs, 7 * hourMs, dayMs - 1, dayMs, dayMs + 1),
})
const fixed = (act: keyof typeof acts, over: Partial<Step> = {}) =>
  ({ act, ...({ amount: 30, pick: 2, who: bob, ms: dayMs } satisfies Step), ...over }) as const

/** Most sequences begin where the limit is set: with Bob as an approver for a day, or for no time. */
const beginnings = [
  [],
  [fixed('join'), fixed('limit')],
  [fixed('join'), fixed('send'), fixed('later'), fixed('limit')],
  [fixed('join'), fixed('connect'), fixed('later'), fixed('limit'), fixed('confirm')],
]
const sequences = fc
  .tuple(fc.constantFrom(...beginnings), fc.array(step, { minLength: 5, maxLength: 35 }))
  .map(([beginning, rest]) => [...beginning, ...rest])

/** Has a payment of each kind that is counted below. */
const everything = [
  ...[fixed('join'), fixed('connect'), fixed('later')],
  ...[
    fixed('send'),
    fixed('payout'),
    fixed('agentPays'),
    fixed('agentBuys'),
    fixed('appPays'),
    fixed('run', { who: owner }),
  ],
  ...[fixed('agentPays', { amount: 80, pick: 0 }), fixed('approve', { who: owner, pick: 0 })],
  ...[fixed('limit'), fixed('later'), fixed('agentPays', { amount: 80, pick: 0 }), fixed('approve', { pick: 0 })],
]

/** How many payments the sequences had, by what accepted them: the test says nothing about what never happens. */
const seen = { owner: 0, agent: 0, app: 0, purchase: 0, payout: 0, run: 0, approved: 0, second: 0 }

test('whatever one person with two mailboxes and five agents does, at most the limit has one person behind it @second-person-4', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const book = createSecondPersonBook()
      const story: Story = {
        ...{ book, memberId: null, approverSince: null, confirmed: new Set<string>() },
        limits: [{ from: 0, above: null }],
        reserved: [],
      }
      const known = new Set<string>()
      const alone: { at: number; amount: bigint }[] = []
      for (const { act, ...input } of sequence) {
        // An act of an agent counts by the rules as they were when it was made.
        const confirmed = new Set(story.confirmed)
        const runsBefore = story.reserved.length
        acts[act](story, input)
        const sumAt = (at: number) =>
          [...alone, ...story.reserved].filter((one) => one.at > at - dayMs).reduce((all, one) => all + one.amount, 0n)
        const checkAt = (at: number) => {
          const limit = limitAt(story, at)
          if (limit !== null) expect(sumAt(at)).toBeLessThanOrEqual(limit)
        }
        // A limit may be lower than what was accepted before it; then nothing more is.
        if (story.reserved.length > runsBefore) checkAt(book.clock.now)
        seen.run = Math.max(seen.run, story.reserved.length)
        for (const row of book.payments()) {
          // A run counts when it is decided, not row by row.
          if (known.has(row.id) || row.run_id !== null) continue
          known.add(row.id)
          const { agent_id: agent, accepted_at: at } = row
          const decider = row.approval_id && book.store.approval(row.approval_id)!.decided_by
          const isByTwo = (decider === bob && isSecond(story, at!)) || (agent !== null && confirmed.has(row.group_id!))
          seen[agent === null ? 'owner' : agent === book.agents[4]?.agentId ? 'app' : 'agent'] += 1
          if (row.seller) seen.purchase += 1
          if (row.recipient_email) seen.payout += 1
          if (decider) seen.approved += 1
          if (isByTwo) seen.second += 1
          if (isByTwo) continue
          alone.push({ at: at!, amount: BigInt(row.amount) })
          checkAt(at!)
        }
      }
      book.close()
    }),
    { numRuns: cases(100, 400), examples: [[everything]] },
  )
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0)
})
