import { expect, test } from 'vitest'
import { blockedAddresses } from '#domain/rules/blockedAddresses.ts'
import { isLooser, noRules } from '#domain/rules/values.ts'
import { unwrap } from '../../worker/result.ts'
import { contactId, createApprovalBook } from '../support/approvalBook.ts'
import { addressOf, toAddress, usdc } from '../support/build.ts'

const refused = {
  ok: false,
  code: 'recipient_not_allowed',
  refusal: {
    rule: 'group.blocked_addresses',
    next: 'Pay another address, or ask the owner to remove this one from the blocked addresses.',
  },
}

test('a blocked address is not paid, in any spelling, not even as a contact; others are @rules-43', () => {
  const { normal } = blockedAddresses.inputs
  const book = createApprovalBook({ blockedAddresses: [addressOf(1), addressOf(7)].map((one) => normal(one)!) })
  const agent = book.addAgent()
  const pay = (address: string) => book.ask(agent, { type: 'address', address: address as `0x${string}` }, usdc('1'))
  for (const address of [addressOf(1), addressOf(1).toLowerCase(), `0x${addressOf(1).slice(2).toUpperCase()}`])
    expect(pay(address)).toMatchObject(refused)
  expect(book.ask(agent, { type: 'contact', contactId, method: 'address' }, usdc('1'))).toMatchObject(refused)
  unwrap(book.ask(agent, toAddress(2), usdc('1')))
  unwrap(book.edit({ blockedAddresses: null }))
  unwrap(pay(addressOf(1)))
  book.close()
})

test('entries are read as addresses are copied, and removing one lets agents pay more @rules-44', () => {
  const { normal } = blockedAddresses.inputs
  const one = addressOf(1).toLowerCase()
  for (const text of [addressOf(1), ` base:${addressOf(1)} `, one]) expect(normal(text)).toBe(one)
  for (const text of ['', 'ada.eth', '0x12', `polygon:${one}`, '0x71C7656EC7ab88b098defB751B7401B5f6d8976f'])
    expect(normal(text), text).toBeNull()
  const [narrow, wide] = [[one, addressOf(2).toLowerCase()], [one]].map((list) => ({
    ...noRules,
    blockedAddresses: list,
  })) as [typeof noRules, typeof noRules]
  expect([isLooser(narrow, wide), isLooser(wide, narrow), isLooser(wide, noRules), isLooser(noRules, wide)]).toEqual([
    true,
    false,
    true,
    false,
  ])
})
