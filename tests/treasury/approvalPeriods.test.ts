import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Period, periodAt, periods } from '#domain/policyPeriod.ts'
import { hourMs } from '#domain/time.ts'
import { rulesOf } from '../../worker/treasury/core/storage/groupPolicy.ts'
import { readWindows } from '../../worker/treasury/ledger/windows.ts'
import { cancelPayment } from '../../worker/treasury/payments/cancel.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { owner, toAddress, usdc } from '../support/build.ts'

const limitOf = (period: Period) => ({
  approveAbove: usdc('10'),
  approvalTtlHours: 168,
  periodBudget: { period, limit: usdc('500') },
})

/** What the group's period budget counts as used now. */
function usedIn({ store, clock, groupId }: ReturnType<typeof createApprovalBook>): bigint {
  const group = store.group(groupId)!
  return readWindows(store, group, rulesOf(group), null, clock.now).used.periodBudget!.used
}

test.each(['day', 'week'] as const)(
  'a payment requested on Sunday and approved on Monday counts and is released in Monday’s %s @approvals-31',
  (period) => {
    const book = createApprovalBook(limitOf(period))
    const agent = book.addAgent()
    book.clock.now = Date.UTC(2026, 10, 22, 23) // a Sunday
    expect(book.ask(agent, toAddress(1), usdc('3')).ok).toBe(true)
    const { id, payment_id } = book.asked(agent, toAddress(2), usdc('40'))
    expect(usedIn(book), 'a request uses nothing').toBe(usdc('3'))

    book.clock.now = Date.UTC(2026, 10, 23, 1)
    expect(usedIn(book)).toBe(0n)
    expect(book.approve(id).ok).toBe(true)
    expect(usedIn(book)).toBe(usdc('40'))
    expect(book.store.payment(payment_id!)).toMatchObject({
      created_at: Date.UTC(2026, 10, 22, 23),
      accepted_at: Date.UTC(2026, 10, 23, 1),
    })
    expect(cancelPayment(book.context, owner, payment_id!).ok).toBe(true)
    expect(usedIn(book)).toBe(0n)
  },
)

type Step = { do: 'ask' | 'approve' | 'deny' | 'cancel' | 'wait'; nth: number; amount: number; hours: number }
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('ask', 'ask', 'ask', 'approve', 'approve', 'deny', 'cancel', 'wait', 'wait'),
  nth: fc.nat({ max: 7 }),
  amount: fc.integer({ min: 1, max: 60 }),
  hours: fc.integer({ min: 1, max: 40 }),
})

test('every payment counts in the period in which it was accepted, and is released there @approvals-32', () => {
  fc.assert(
    fc.property(fc.constantFrom(...periods), fc.array(step, { minLength: 4, maxLength: 40 }), (period, steps) => {
      const book = createApprovalBook(limitOf(period), null)
      const agent = book.addAgent()
      /** When each accepted payment that is not cancelled was accepted (ms), by id. */
      const counted = new Map<string, { at: number; amount: bigint }>()
      const waiting: string[] = []
      for (const { do: what, nth, amount, hours } of steps) {
        book.clock.now += 1_000
        const chosen = waiting[nth % Math.max(1, waiting.length)]
        if (what === 'wait') book.clock.now += hours * hourMs
        else if (what === 'ask') {
          const result = book.ask(agent, toAddress(nth), usdc(String(amount)))
          if (!result.ok) continue
          const { payment } = result.value
          if (payment.status === 'PENDING_APPROVAL') waiting.push(payment.approval_id!)
          else counted.set(payment.id, { at: book.clock.now, amount: usdc(String(amount)) })
        } else if (what === 'cancel') {
          const id = [...counted.keys()][nth % Math.max(1, counted.size)]
          if (id && cancelPayment(book.context, owner, id).ok) counted.delete(id)
        } else if (chosen && what === 'deny') book.refuse(chosen)
        else if (chosen) {
          const result = book.approve(chosen)
          if (result.ok && 'payment' in result.value) {
            const { id, amount: sum } = result.value.payment
            counted.set(id, { at: book.clock.now, amount: BigInt(sum) })
          }
        }
        const { startAt } = periodAt(period, book.clock.now)
        const expected = [...counted.values()].filter(({ at }) => at >= startAt)
        expect(usedIn(book)).toBe(expected.reduce((sum, one) => sum + one.amount, 0n))
        expect(BigInt(book.store.group(book.groupId)!.held)).toBe(
          [...counted.values()].reduce((sum, one) => sum + one.amount, 0n),
        )
      }
    }),
    { numRuns: Number(process.env.FUZZ_SEQUENCES ?? 40) },
  )
})
