/** Screening of recipients together with approvals and keys. */
import { expect, test } from 'vitest'
import type { Recipient } from '#schemas/paymentTerms.ts'
import { approvePayment } from '../../worker/treasury/approvals/decisions/decide.ts'
import type { RecipientLookup } from '../../worker/treasury/core/context.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import { by, createApprovalBook, known } from '../support/approvalBook.ts'
import { addressOf, payInput, toAddress, usdc } from '../support/build.ts'

const to = toAddress(9)
const found = (lookup: RecipientLookup, whom: Recipient = to) => ({
  ...known(whom),
  lookup: { address: addressOf(9), found: lookup },
})

test('a payment whose recipient can’t be screened, or is listed, does not ask its owner @screening-11', () => {
  const book = createApprovalBook({ approveAbove: usdc('1') })
  const principal = book.addAgent()
  for (const [lookup, code] of [
    ['unscreened', 'screening_unavailable'],
    ['screened', 'recipient_screened'],
  ] as const) {
    const before = book.dump()
    const input = payInput({ principal, to, amount: usdc('5'), reason: 'rent' })
    expect(accept(book.context, input, found(lookup))).toMatchObject({ ok: false, code })
    expect(book.dump(), code).toBe(before)
  }
})

test('approving asks about the recipient again; without an answer the request stays open @screening-12', () => {
  const book = createApprovalBook({ approveAbove: usdc('1') })
  const { id } = book.asked(book.addAgent(), to, usdc('5'))
  const approve = (lookup: RecipientLookup) => {
    const input = { hash: book.view(id).hash, by, passwordChecked: true, grant: null }
    return approvePayment(book.context, id, input, found(lookup))
  }
  expect(approve('unscreened')).toMatchObject({ ok: false, code: 'screening_unavailable', retryAfter: 60 })
  expect(approve('screened')).toMatchObject({ ok: false, code: 'approval_refused' })
  expect(book.context.store.approval(id)!.status).toBe('PENDING')
  expect([book.payments(), book.store.wallet('wal')!.held]).toEqual([[], 0])
  expect(approve('clear')).toMatchObject({ ok: true })
})

test('the key of an accepted payment returns it while the oracle is silent @screening-13', () => {
  const book = createApprovalBook()
  book.context.env = { ...book.context.env, SANCTIONS_ORACLE_8453: addressOf(1) }
  const input = payInput({ principal: book.addAgent(), key: 'key-a', to, amount: usdc('5') })
  const paid = accept(book.context, input, found('clear'))
  expect(paid).toMatchObject({ ok: true, value: { replayed: false } })
  book.clock.now += 25 * 3_600_000
  const other = payInput({ principal: input.principal, to, amount: usdc('5') })
  expect(accept(book.context, other, { ...known(to), lookup: null })).toMatchObject({ need: 'lookup' })
  expect(accept(book.context, input, { ...known(to), lookup: null })).toMatchObject({
    value: { replayed: true, accepted: null },
  })
})
