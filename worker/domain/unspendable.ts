/**
 * Addresses that nobody has a key for. Money sent there is lost, although the token accepts the payment: burn addresses, the
 * ranges that the network keeps for itself, and fillers of examples.
 */

const burnAddresses = new Set([
  '0xdead000000000000000042069420694206942069', // as Vitalik Buterin burned tokens
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001', // OP Stack: the sender of system transactions
  '0xdead000000000000000000000000000000000000',
  '0xfffffffffffffffffffffffffffffffffffffffe', // EIP-4788 and others: the sender of system calls
  '0x1234567890123456789012345678901234567890',
  '0x0123456789012345678901234567890123456789',
  '0x123456789abcdef123456789abcdef123456789a',
  '0x0123456789abcdef0123456789abcdef01234567',
])
const ranges = [
  /^0x0{36}/, // precompiles, and 0x…dEaD
  /^0x([0-9a-f])\1{39}$/, // one digit: 0xEeee… means ETH in many programs
  /^0x420{35}[0-7]/, // OP Stack: predeployed contracts
  /^0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3/, // OP Stack: their implementations
]

/** Why the address cannot receive payments; null if it may. For a valid address. */
export function unspendableProblem(address: string): string | null {
  const lower = address.toLowerCase()
  if (/^0x0{40}$/.test(lower)) return 'The zero address cannot receive payments.'
  return burnAddresses.has(lower) || ranges.some((range) => range.test(lower))
    ? 'Nobody has the key of this address, so a payment to it would be lost.'
    : null
}
