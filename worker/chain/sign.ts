import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex } from '@noble/hashes/utils'
import { checksumAddress } from '#domain/validators.ts'
import type { Address, Hex } from './types.ts'

/** A compact signature (EIP-2098): the highest bit of `vs` is the parity. */
export type CompactSignature = { r: Hex; vs: Hex }

/** Deterministic (RFC 6979), low s. Synchronous, so that it can run inside a transaction. */
export type Sign = (digest: Hex, privateKey: Hex) => CompactSignature

export const nobleSign: Sign = (digest, privateKey) => {
  const { r, s, recovery } = secp256k1.sign(digest.slice(2), privateKey.slice(2), { lowS: true })
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
  return { r: word(r), vs: word((BigInt(recovery) << 255n) | s) }
}

let sign = nobleSign

/** Replaces the signer. The Worker's entry point sets a faster one with the same results (record 005). */
export function setSigner(signer: Sign): void {
  sign = signer
}

export const signCompact: Sign = (digest, privateKey) => sign(digest, privateKey)

/** The address of a private key, with checksum. */
export function addressOf(privateKey: Hex): Address {
  const publicKey = secp256k1.getPublicKey(privateKey.slice(2), false)
  return checksumAddress(`0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`)
}
