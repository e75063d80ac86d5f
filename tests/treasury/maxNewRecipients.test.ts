import { expect, test } from 'vitest'
import { unwrap } from '../../worker/result.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { toAddress, usdc } from '../support/build.ts'

const limit = (whenExceeded: 'refuse' | 'ask') =>
  ({ maxNewRecipients: { per: 'day', count: 2, whenExceeded } }) as const

test('as many new recipients a day as the group may pay, and known ones without end @rules-28', () => {
  const book = createApprovalBook(limit('refuse'))
  const agent = book.addAgent()
  const pay = (to: number) => book.ask(agent, toAddress(to), usdc('1'))
  for (const to of [1, 2, 1, 2, 1]) unwrap(pay(to))
  expect(pay(3)).toMatchObject({
    ok: false,
    code: 'policy_refused',
    message: 'The policy group may pay 2 new recipients a day, and has paid 2.',
    refusal: { rule: 'group.new_recipients', count: { limit: 2, used: 2 }, max_allowed_now: '0' },
  })
  book.clock.now += 24 * 3_600_000
  unwrap(pay(3))
  book.close()
})

test('one new recipient more can be approved, and counts @rules-29', () => {
  const book = createApprovalBook(limit('ask'))
  const agent = book.addAgent()
  for (const to of [1, 2]) unwrap(book.ask(agent, toAddress(to), usdc('1')))
  const row = book.asked(agent, toAddress(3), usdc('1'))
  expect(book.approve(row.id).ok).toBe(true)
  expect(book.edit({})).toMatchObject({ value: { maxNewRecipients: { used: 3, remaining: 0 } } })
  book.close()
})
