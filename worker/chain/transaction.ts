import { secp256k1 } from '@noble/curves/secp256k1'
import { hexToBytes, keccak256, serializeTransaction, toHex } from 'viem/utils'
import type { Address, ChainId, Hex } from './types.ts'

export type UnsignedTransaction = {
  chainId: ChainId
  nonce: number
  to: Address
  /** wei */
  value: bigint
  data: Hex
  gas: bigint
  /** wei */
  maxFeePerGas: bigint
  /** wei */
  maxPriorityFeePerGas: bigint
}

/**
 * Signs an EIP-1559 transaction without an await, so that allocating its nonce and storing it are one step. Deterministic
 * (RFC 6979): the same fields give the same bytes and hash.
 */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Hex): { raw: Hex; hash: Hex } {
  const fields = { type: 'eip1559', ...transaction } as const
  const digest = keccak256(serializeTransaction(fields), 'bytes')
  const { r, s, recovery } = secp256k1.sign(digest, hexToBytes(privateKey))
  const raw = serializeTransaction(fields, {
    r: toHex(r, { size: 32 }),
    s: toHex(s, { size: 32 }),
    yParity: recovery,
  })
  return { raw, hash: keccak256(raw) }
}
