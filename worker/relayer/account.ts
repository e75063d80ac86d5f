import { secp256k1 } from '@noble/curves/secp256k1'
import { hkdf } from '@noble/hashes/hkdf'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes, publicKeyToAddress, stringToBytes } from 'viem/utils'
import type { Address, ChainId, Hex } from '../chain/types.ts'

export type RelayerAccount = { address: Address; privateKey: Hex }

/**
 * The account of one shard on one chain: HKDF-SHA256 of the seed (32 bytes hex, with or without 0x).
 * Scripts use it to know which addresses need gas money.
 */
export function relayerAccount(seed: string, chainId: ChainId, shard: number): RelayerAccount {
  const secret = hexToBytes(`0x${seed.replace(/^0x/, '')}`)
  if (secret.length !== 32) throw new Error('the relayer seed must be 32 bytes of hex')
  const key = hkdf(sha256, secret, undefined, stringToBytes(`relayer:${chainId}:${shard}`), 32)
  if (!secp256k1.utils.isValidPrivateKey(key)) throw new Error('this seed gives no key: choose another')
  const publicKey = bytesToHex(secp256k1.getPublicKey(key, false))
  return { address: publicKeyToAddress(publicKey), privateKey: bytesToHex(key) }
}
