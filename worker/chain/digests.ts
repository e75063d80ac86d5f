import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils'
import type { Address, Hex } from './types.ts'

/**
 * EIP-712 digests that Bursar signs for our contracts, computed without a library's generic encoding: fast enough to run
 * synchronously inside a Durable Object's transaction. tests/chain/digests.test.ts compares them with the contracts.
 */

/** Terms of a payout, as PayoutEscrow hashes them. */
export type Terms = {
  payer: Address
  claimKey: Address
  reclaimKey: Address
  /** micro-USDC, uint64 */
  amount: bigint
  /** unix seconds. Claims are possible before it; from then on anyone may reclaim. */
  expiry: number
}

/** The chain and contract that a signature is valid for. */
export type Domain = { chainId: number; contract: Address }

type Word = bigint | number | Hex

/** Concatenates 32-byte words, as abi.encode does with static values. Hex is left-padded like an address. */
export function packWords(...words: Word[]): Uint8Array {
  let all = ''
  for (const word of words) {
    const digits = typeof word === 'string' ? word.slice(2) : word.toString(16)
    if (digits.startsWith('-') || digits.length > 64) throw new RangeError(`not a 256-bit word: ${word}`)
    all += digits.padStart(64, '0')
  }
  return hexToBytes(all)
}

export function keccak(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(keccak_256(bytes))}`
}

export const hashText = (text: string): Hex => keccak(utf8ToBytes(text))

const types = {
  domain: hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
  send: hashText('Send(address to,uint64 amount,uint64 nonce,uint48 deadline)'),
  rotate: hashText(
    'Rotate(address newKey,uint64 limit,uint16 purchaseAllowance,uint40 validUntil,uint32 expectedEpoch,uint48 deadline)',
  ),
  claim: hashText('Claim(bytes32 payoutId,address to,uint64 atLeast,uint48 deadline)'),
  reclaim: hashText('Reclaim(bytes32 payoutId,uint64 atLeast,uint48 deadline)'),
}

const walletName = 'Bursar AgentWallet'
const escrowName = 'Bursar PayoutEscrow'
const versionHashes = { '1': hashText('1'), '2': hashText('2') }
const nameHashes = new Map([walletName, escrowName].map((name) => [name, hashText(name)]))

const separators = new Map<string, Hex>()

/** Our contracts have version "1", USDC has "2". Cached for recently used wallets. */
export function domainSeparator(name: string, chainId: number, contract: Address, version: '1' | '2' = '1'): Hex {
  const key = `${name}|${chainId}|${contract}|${version}`
  const known = separators.get(key)
  if (known) return known
  if (separators.size > 1_000) separators.clear()
  const separator = keccak(
    packWords(types.domain, nameHashes.get(name) ?? hashText(name), versionHashes[version], chainId, contract),
  )
  separators.set(key, separator)
  return separator
}

const digest = (name: string, domain: Domain, ...struct: Word[]): Hex =>
  typedDataDigest(domainSeparator(name, domain.chainId, domain.contract), ...struct)

/** The digest of a struct, given as its type's hash and its fields, under a domain separator. */
export function typedDataDigest(separator: Hex, ...struct: Word[]): Hex {
  const bytes = new Uint8Array(66)
  bytes.set([0x19, 0x01])
  bytes.set(packWords(separator, keccak(packWords(...struct))), 2)
  return keccak(bytes)
}

/** `domain.contract` is the wallet. Amount in micro-USDC, deadline in unix seconds, inclusive. */
export function sendDigest(
  domain: Domain,
  send: { to: Address; amount: bigint; nonce: bigint; deadline: number },
): Hex {
  return digest(walletName, domain, types.send, send.to, send.amount, send.nonce, send.deadline)
}

/** Signed by an operator of the provider. */
export function rotateDigest(
  domain: Domain,
  rotate: {
    newKey: Address
    limit: bigint
    /** Whole USDC. */
    purchaseAllowance: number
    validUntil: number
    expectedEpoch: number
    deadline: number
  },
): Hex {
  const { newKey, limit, purchaseAllowance, validUntil, expectedEpoch, deadline } = rotate
  const fields = [newKey, limit, purchaseAllowance, validUntil, expectedEpoch, deadline]
  return digest(walletName, domain, types.rotate, ...fields)
}

/** `domain.contract` is the escrow; signed by the payout's claim key. */
export function claimDigest(
  domain: Domain,
  claim: { payoutId: Hex; to: Address; atLeast: bigint; deadline: number },
): Hex {
  return digest(escrowName, domain, types.claim, claim.payoutId, claim.to, claim.atLeast, claim.deadline)
}

/** `domain.contract` is the escrow; signed by the payout's reclaim key. */
export function reclaimDigest(domain: Domain, reclaim: { payoutId: Hex; atLeast: bigint; deadline: number }): Hex {
  return digest(escrowName, domain, types.reclaim, reclaim.payoutId, reclaim.atLeast, reclaim.deadline)
}

/** keccak256(abi.encode(terms)): identifies the payout and is the salt of its address. */
export function payoutId(terms: Terms): Hex {
  return keccak(packWords(terms.payer, terms.claimKey, terms.reclaimKey, terms.amount, terms.expiry))
}
