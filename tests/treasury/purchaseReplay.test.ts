/** Replaying decisions about purchases, as the History of a real Treasury has them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import type { RuleEdits } from '#domain/rules/values.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import { unwrap } from '../../worker/result.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { editGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { addressOf, groupEdit } from '../support/build.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { createPurchaseBook } from '../support/purchaseBook.ts'
import { policiesOf, replay } from '../support/replay.ts'

const amount = fc.bigInt({ min: 1n, max: 1_000_000n }).map(microUsdc)
const either = fc.constantFrom('refuse' as const, 'ask' as const)
const rules = fc.record(
  {
    hosts: fc.option(
      fc.uniqueArray(
        fc.record({
          pattern: fc.constantFrom('a.example.com', 'b.example.com', '*.example.com'),
          maxAmount: fc.option(amount),
        }),
        { selector: ({ pattern }) => pattern, minLength: 1 },
      ),
    ),
    unverifiedSellers: either,
    approveAbove: fc.option(amount),
    approveNewRecipient: fc.boolean(),
    duplicateMinutes: fc.constantFrom(0, 60),
    perRecipient: fc.option(fc.record({ period: fc.constant('day'), limit: amount, whenExceeded: either })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<RuleEdits>

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('buy' as const),
      host: fc.constantFrom('a.example.com', 'b.example.com', 'c.example.org'),
      payTo: fc.constantFrom(5, 6).map(addressOf),
      amount,
      confirms: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('approve' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send again' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(11 * minuteMs, dayMs, 31 * dayMs) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), limits: rules }) },
)

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never
const buys = (confirms: boolean): Step => ({
  ...{ do: 'buy', host: 'a.example.com', payTo: addressOf(5), amount: microUsdc(1n), confirms },
})
/** The host confirms the address after the owner was asked about it, and then no longer. */
const confirmedLater: [RuleEdits, Step[]] = [{}, [buys(false), { do: 'wait', ms: dayMs }, buys(true)]]
const noLongerConfirmed: [RuleEdits, Step[]] = [{}, [buys(true), { do: 'wait', ms: 31 * dayMs }, buys(false)]]

test('each decision about a purchase replayed under its own version changes nothing @purchase-rules-9', () => {
  fc.assert(
    fc.property(rules, fc.array(step, { maxLength: 40 }), (limits, steps) => {
      const book = createPurchaseBook(limits)
      const history = createMemoryHistory(book)
      const agent = book.addAgent()
      const all = () => book.store.all<{ id: string }>('SELECT id FROM payment ORDER BY rowid')
      try {
        for (const each of steps) {
          book.clock.now += 1
          if (each.do === 'wait') book.clock.now += each.ms
          if (each.do === 'edit') {
            const scopes = JSON.parse(book.store.group(book.groupId)!.scopes) as string[]
            unwrap(editGroup(book.context, book.groupId, groupEdit({ scopes, limits: each.limits })))
          }
          if (each.do === 'buy' && 'need' in book.buy(agent, each)) {
            book.hostAnswers(each.confirms, each)
            book.buy(agent, each)
          }
          if (each.do === 'approve') {
            const open = book.store.all<{ id: string }>(
              "SELECT id FROM approval WHERE status = 'PENDING' AND expires_at > ?",
              book.clock.now,
            )
            if (open.length > 0) book.approve(open[each.which % open.length]!.id)
          }
          // A row of History is written again whenever its payment changes, long after the decision.
          const sent = all()
          if (each.do === 'send again' && sent.length > 0)
            book.store.transaction(() => recordChange(book.context, sent[each.which % sent.length]!.id))
        }
        const decisions = history.follow().decisions(book.groupId, 0, null, 10_000).toReversed()
        const flipped = replay(decisions, policiesOf(book.store, book.groupId)).filter(
          ({ decision, outcome }) => decision.outcome !== outcome,
        )
        expect(flipped).toEqual([])
      } finally {
        history.close()
        book.close()
      }
    }),
    { numRuns: Number(process.env.FUZZ_SEQUENCES ?? 60), examples: [confirmedLater, noLongerConfirmed] },
  )
})
