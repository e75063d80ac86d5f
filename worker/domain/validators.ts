import { keccak_256 } from '@noble/hashes/sha3'
import type { ChainId } from './networks.ts'
import { addressIn } from './readers/address.ts'
import type { Read } from './readers/read.ts'

/** Addresses, for forms and the API. The problems are worded as in the specification. */

/** An address that a person typed or pasted, of the network `chainId` (default: Base), as 0x and 40 hex digits. */
export function readAddress(text: string, chainId?: ChainId): Read<`0x${string}`> {
  const found = addressIn(text, chainId)
  if ('problem' in found) return found
  const { address } = found.value
  const problem = addressProblem(address)
  return problem ? { problem } : { value: address as `0x${string}` }
}

/** For addresses that programs write. Checked in this order: required, 0x, length, hex digits and checksum. */
export function addressProblem(text: string): string | null {
  if (!text) return 'Wallet address is required'
  if (!text.startsWith('0x')) return 'Wallet address must start with 0x'
  if (text.length !== 42) return 'Wallet address must be 42 characters long (0x + 40 hex characters)'
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'Invalid wallet address format'
  const digits = text.slice(2)
  const mixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return mixed && checksumAddress(text) !== text ? 'Invalid wallet address format' : null
}

/** By their digits in lower case. The same recipients are paid again and again, and a hash takes longer than a look-up. */
const checksummed = new Map<string, `0x${string}`>()

/** Adds the EIP-55 checksum. The input must be 0x and 40 hex digits. */
export function checksumAddress(address: string): `0x${string}` {
  const lower = address.slice(2).toLowerCase()
  const known = checksummed.get(lower)
  if (known) return known
  if (checksummed.size >= 1_000) checksummed.clear()
  const result = withChecksum(lower)
  checksummed.set(lower, result)
  return result
}

function withChecksum(lower: string): `0x${string}` {
  const hash = keccak_256(new TextEncoder().encode(lower))
  let out = '0x'
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 0xf
    out += nibble >= 8 ? lower[i]!.toUpperCase() : lower[i]
  }
  return out as `0x${string}`
}
