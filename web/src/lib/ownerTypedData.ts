import type { OwnerActionKind } from '#domain/sessionKey.ts'
import { type Chain, chainIdOf } from './networks.ts'

type Hex = `0x${string}`

/** The EIP-712 message of an owner action, as the wallet's contract defines it. */
export type OwnerTypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex }
  types: Record<string, { name: string; type: string }[]>
  primaryType: string
  message: Record<string, string | number | bigint>
}

/** Signs as the owner. Throws Error with a message for people. */
export type SignOwnerAction = (data: OwnerTypedData) => Promise<Hex>

/** Part of every owner action: the nonce makes it single-use, the deadline makes it expire. */
const nonceAndDeadline = [
  { name: 'ownerNonce', type: 'uint256' },
  { name: 'deadline', type: 'uint48' },
]
const structs: Record<OwnerActionKind, { primaryType: string; fields: { name: string; type: string }[] }> = {
  setSession: {
    primaryType: 'SetSession',
    fields: [
      { name: 'sessionKey', type: 'address' },
      { name: 'limit', type: 'uint64' },
      { name: 'purchaseAllowance', type: 'uint16' },
      { name: 'validUntil', type: 'uint40' },
    ],
  },
  revokeSession: { primaryType: 'RevokeSession', fields: [] },
  disableRotation: { primaryType: 'DisableRotationAuthority', fields: [] },
  withdraw: {
    primaryType: 'Withdraw',
    fields: [
      { name: 'token', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
}

export function ownerTypedData(
  wallet: { address: string; chain: Chain },
  kind: OwnerActionKind,
  message: Record<string, string | number | bigint>,
  { ownerNonce, deadline }: { ownerNonce: string; deadline: number },
): OwnerTypedData {
  const { primaryType, fields } = structs[kind]
  return {
    domain: {
      name: 'Bursar AgentWallet',
      version: '1',
      chainId: chainIdOf(wallet.chain),
      verifyingContract: wallet.address as Hex,
    },
    types: { [primaryType]: [...fields, ...nonceAndDeadline] },
    primaryType,
    message: { ...message, ownerNonce: BigInt(ownerNonce), deadline },
  }
}
