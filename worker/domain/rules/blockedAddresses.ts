import { orOwner } from '../refusal.ts'
import { readAddress } from '../validators.ts'
import { defineRule } from './rule.ts'

/** An address as payments are compared with it: in lower case. Null if it is not one, or its checksum is wrong. */
function normalAddress(text: string): string | null {
  const read = readAddress(text)
  return 'value' in read ? read.value.toLowerCase() : null
}

/** Applies to sellers and to contacts that are paid at an address, too. Recipients of payouts choose their address later. */
export const blockedAddresses = defineRule({
  field: 'blockedAddresses',
  names: { 'group.blocked_addresses': 'Blocked addresses' },
  section: 'limits',
  title: 'Blocked addresses',
  inputs: {
    kind: 'list',
    looser: 'less',
    label: 'Blocked addresses',
    hint: 'Agents can’t pay these, not even as contacts or sellers. Whoever claims a payout chooses an address later.',
    normal: normalAddress,
    what: 'address',
    example: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    placeholder: '0x…, 0x…',
  },
  off: null,
  proposed: null,
  isAboutRecipient: true,
  judge(addresses, { recipient }) {
    if (recipient?.address == null || !addresses.includes(recipient.address.toLowerCase())) return null
    return {
      above: null,
      outcome: 'refuse',
      rule: 'group.blocked_addresses',
      code: 'recipient_not_allowed',
      message: 'The policy group blocks payments to this address.',
      next: orOwner('Pay another address', 'remove this one from the blocked addresses'),
    }
  },
  words: (addresses) => `No payments to ${addresses.join(', ')}.`,
})
