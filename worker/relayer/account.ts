import { secp256k1 } from '@noble/curves/secp256k1'
import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes, publicKeyToAddress, stringToBytes } from 'viem/utils'
import type { Address, ChainId, Hex } from '../chain/types.ts'

export type RelayerAccount = { address: Address; privateKey: Hex }

/** The message names the setting but never its content, which may be a secret with one character missing. */
export class InvalidSeed extends Error {
  override name = 'InvalidSeed'
  constructor() {
    super('RELAYER_SEED_V1 must be 32 bytes of hex, other than zero')
  }
}

/**
 * The account of one shard on one chain, derived from the seed (32 bytes of hex, with or without 0x) by HKDF-SHA256.
 * Scripts use it to find the addresses that need gas money. Throws InvalidSeed.
 */
export function relayerAccount(seed: string, chainId: ChainId, shard: number): RelayerAccount {
  if (!/^(0x)?[0-9a-f]{64}$/i.test(seed) || /^(0x)?0+$/.test(seed)) throw new InvalidSeed()
  const secret = hexToBytes(`0x${seed.replace(/^0x/, '')}`)
  const key = hkdf(sha256, secret, undefined, stringToBytes(`relayer:${chainId}:${shard}`), 32)
  if (!secp256k1.utils.isValidPrivateKey(key)) throw new Error('no key can be derived from this seed: choose another')
  const publicKey = bytesToHex(secp256k1.getPublicKey(key, false))
  return { address: publicKeyToAddress(publicKey), privateKey: bytesToHex(key) }
}
