/** The numbered changes that History asks for. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ChangePage, Position } from '../../worker/history/api.ts'
import { audit } from '../../worker/treasury/ledger/audit.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import { changesSince, lastChange, raiseChanges } from '../../worker/treasury/outbox/delivery/history.ts'
import { pruneRefusals } from '../../worker/treasury/payments/refusals.ts'
import { createMemoryHistory } from '../support/memoryHistory.ts'
import { createMemoryTreasury, type MemoryTreasury } from '../support/memoryTreasury.ts'
import { paymentRow } from '../support/rows.ts'

const start: Position = { incarnation: null, seq: 0, audit: null }
let treasury: MemoryTreasury
beforeEach(() => {
  treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
})
afterEach(() => treasury.close())

const since = (position: Position) => changesSince(treasury.context, position)
const refs = (page: ChangePage | null) => page?.changes.map(({ seq, ref }) => [seq, ref])
/** A change with its row of the audit log. */
function change(...ids: string[]): void {
  const { store, context, clock } = treasury
  for (const id of ids) {
    if (id.startsWith('pay') && !store.payment(id)) store.insert('payment', paymentRow({ id }))
    audit(store, clock.now, 'payment.accepted', id)
    recordChange(context, id)
  }
}
/** What the tables are after going back to an earlier time and changing this. */
function inAnotherTime(work: () => void): MemoryTreasury {
  const now = treasury
  treasury = createMemoryTreasury(100_000_000n, 100_000_000n)
  work()
  now.close()
  return treasury
}

test('a row has the number of its last change only, and a page continues after the one before @lists-46', () => {
  const { store } = treasury
  change('pay_a', 'pay_b', 'pay_a', 'wallet:wal')
  const page = since(start)!
  expect(refs(page)).toEqual([
    [2, 'pay_b'],
    [3, 'pay_a'],
    [4, 'wallet:wal'],
  ])
  expect(page.changes[1]).toMatchObject({
    rows: { transactions: [{ row: { id: 'pay_a' } }], payout: null },
    value: null,
  })
  expect(page.changes[2]).toMatchObject({ rows: { transactions: [] }, value: expect.stringContaining('"id":"wal"') })
  expect(page).toMatchObject({ from: 0, isLast: true, to: { seq: 4 } })
  expect(since(page.to)).toMatchObject({ from: 4, changes: [], isLast: true })

  for (let i = 0; i < 250; i++) recordChange(treasury.context, `more_${i}`)
  const [first, second] = [since(page.to)!, since(since(page.to)!.to)!]
  expect([first.changes.length, first.isLast, second.changes.length, second.isLast]).toEqual([200, false, 50, true])
  expect(second.to.seq).toBe(lastChange(store))
})

test('a History with changes that the Treasury has lost is recognized until a restore gives a new incarnation @lists-47', () => {
  change('pay_a')
  const early = since(start)!.to
  change('pay_b')
  const late = since(start)!.to
  expect(since(late)).not.toBeNull()

  inAnotherTime(() => change('pay_a'))
  expect(since(early), 'nothing that it has was lost').toMatchObject({ changes: [] })
  expect(since(late), 'its number is too high').toBeNull()
  change('pay_c', 'pay_d')
  expect(since(late), 'as many changes, but others').toBeNull()
  expect(since(start), 'a History that is empty').not.toBeNull()

  raiseChanges(treasury.context, 1_000, 'inc_1')
  expect(refs(since(late))).toEqual([...refs(since(start))!])
  expect(since(since(start)!.to)).toMatchObject({ from: 1_000, changes: [] })
  const restored = since(start)!.to

  // Put back to a time before that restore.
  inAnotherTime(() => change('pay_a', 'pay_b', 'pay_c'))
  expect(since(restored)).toBeNull()
})

test('refusals that are deleted after 30 days leave the lists @lists-48', () => {
  const { store, context, clock } = treasury
  const history = createMemoryHistory(treasury)
  const refusal = { status: 'POLICY_REJECTED', accepted_at: null, refusal: '{}' } as const
  for (const id of ['pay_old', 'pay_older']) {
    store.insert('payment', paymentRow({ id, ...refusal, created_at: clock.now - 31 * 86_400_000 }))
    recordChange(context, id)
  }
  const listed = () => history.follow().figures('base', clock.now).totals
  expect(listed()).toMatchObject([{ state: 'refused', n: 2 }])
  expect(history.all('SELECT id FROM transaction_view')).toHaveLength(2)
  pruneRefusals(context)
  expect(store.payment('pay_older')).toBeNull()
  expect(listed()).toEqual([])
  expect(history.all('SELECT id FROM transaction_view')).toEqual([])
  history.close()
})
