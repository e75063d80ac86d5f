/** Recipients that an attacker chooses: what is stored about them, for which chain, and after which lookup. */

import { expect, test } from 'vitest'
import type { Recipient } from '#schemas/paymentTerms.ts'
import type { Address } from '../../worker/chain/types.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import { confirmContact, contactChanged } from '../../worker/treasury/reports/changes/contacts.ts'
import { createBook } from '../support/book.ts'
import { addressOf, payInput, toAddress, usdc } from '../support/build.ts'

function createGroupWithAgent(limit: string) {
  const book = createBook({ funds: '1000' })
  const contacts = [{ id: 'con_1', name: 'Ada', address: addressOf(1), email: null, phone: null }]
  const groupId = book.addGroup({ spendLimit: usdc(limit), contacts })
  const principal = book.addAgent(groupId)
  const input = (to: Recipient) => payInput({ principal, to, amount: usdc('5') })
  return { ...book, groupId, input }
}
const prepared = (over: Partial<Gathered> = {}): Gathered => ({
  draft: null,
  lookup: null,
  refresh: 'done',
  grants: {},
  ...over,
})

test('B4: refused payments store nothing about their recipients, however many there are @threats-11', () => {
  const { context, store, input } = createGroupWithAgent('1')
  const sizes = () => store.first<{ n: number }>('SELECT count(*) AS n FROM known_recipient')!.n
  for (let n = 10; n < 200; n++) {
    const request = input(toAddress(n))
    accept(context, request, prepared())
    expect(accept(context, request, prepared({ lookup: { address: addressOf(n), found: 'clear' } }))).toMatchObject({
      ok: false,
      code: 'budget_exceeded',
    })
  }
  expect(sizes()).toBe(0)
})

test('a lookup on one chain is not used for another chain', () => {
  const { context, store, input } = createGroupWithAgent('100')
  const sepolia = context.chains[84532]
  const theirs = addressOf(77)
  // An address that means nothing on Base Sepolia but is USDC itself on Base.
  ;(context.chains[8453].contractSets.sets[1] as { usdc: Address }).usdc = theirs
  store.run("UPDATE wallet SET chain_id = 84532 WHERE id = 'wal'")
  expect(sepolia.usdc).not.toBe(theirs)
  const to = { type: 'address', address: theirs } as const
  const lookedUp = prepared({ lookup: { address: theirs, found: 'clear' } })
  accept(context, input(to), lookedUp)
  store.run("UPDATE wallet SET chain_id = 8453 WHERE id = 'wal'")
  expect(accept(context, input(to), lookedUp)).toMatchObject({ ok: false, code: 'invalid_input' })
})

test('a contact confirmed at a new address while the old one is being looked up is looked up at the new one', () => {
  const { context, input, groupId } = createGroupWithAgent('100')
  const request = input({ type: 'contact', contactId: 'con_1' })
  expect(accept(context, request, prepared())).toMatchObject({ need: 'lookup', address: addressOf(1) })
  const moved = { address: addressOf(2), email: null, phone: null }
  contactChanged(context, 'con_1', moved)
  expect(confirmContact(context, groupId, 'con_1', moved)).toMatchObject({ ok: true })
  const old = prepared({ lookup: { address: addressOf(1), found: 'clear' } })
  expect(accept(context, request, old)).toMatchObject({ need: 'lookup', address: addressOf(2) })
})
