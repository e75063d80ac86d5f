import { chainIdOf } from '#domain/networks.ts'
import { addressIn } from '#domain/readers/address.ts'
import type { Read } from '#domain/readers/read.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import type { Chain } from '#web/lib/networks.ts'

export const wrongFormat = 'Invalid Ethereum address format'

/** Where a claim's money goes, as typed or pasted, before its checksum is checked: the address, or why it is refused. */
export function destinationIn(
  text: string,
  payout: { payoutAddress: string; chain: Chain } | undefined,
): Read<{ address: string; note: string | null }> {
  if (!payout) return { problem: 'Payout details not loaded' }
  if (!text.trim()) return { problem: 'Please enter a destination address' }
  const read = addressIn(text, chainIdOf(payout.chain))
  if ('problem' in read) return read
  const { address } = read.value
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return { problem: wrongFormat }
  if (address.toLowerCase() === payout.payoutAddress.toLowerCase())
    return { problem: "This is the payout's own address. Enter the address of your wallet." }
  if (unspendableProblem(address)) return { problem: 'No one controls this address. Enter the address of your wallet.' }
  return read
}

/** What about the text is not the form of an address. */
export function formatHint(text: string): string {
  const address = text.trim()
  if (address.includes('@')) return 'This is an email address. A wallet’s or an exchange’s address starts with 0x.'
  if (!/^0x/i.test(address)) return 'An address starts with 0x.'
  if (address.length !== 42) return `An address has 42 characters; this text has ${address.length}.`
  return 'A character of it is wrong. Copy the address again.'
}
