import { afterEach, expect, test, vi } from 'vitest'
import { maxPayment } from '#domain/rules/maxPayment.ts'
import { createApprovalBook } from '../support/approvalBook.ts'
import { addressOf, toAddress, usdc } from '../support/build.ts'

afterEach(() => vi.restoreAllMocks())

test('a rule sees the amount and the address of the payment that it judges @rules-42', () => {
  const judge = vi.spyOn(maxPayment, 'judge')
  const book = createApprovalBook({ maxPayment: usdc('10') })
  const agent = book.addAgent()
  for (const [to, amount] of [
    [1, '2'],
    [2, '3.5'],
  ] as const) {
    book.ask(agent, toAddress(to), usdc(amount))
    expect(judge.mock.lastCall?.[1]).toMatchObject({
      amount: usdc(amount),
      isPayout: false,
      recipient: { type: 'address', address: addressOf(to) },
    })
  }
  book.close()
})
