import type { OwnerActionKind } from '../../../worker/domain/sessionKey.ts'

type Hex = `0x${string}`

/** What an owner signs (EIP-712), as the wallet's contract spells it. */
export type OwnerTypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex }
  types: Record<string, { name: string; type: string }[]>
  primaryType: string
  message: Record<string, string | number | bigint>
}

const turn = [
  { name: 'ownerNonce', type: 'uint256' },
  { name: 'deadline', type: 'uint48' },
]
const structs: Record<OwnerActionKind, { primaryType: string; fields: { name: string; type: string }[] }> = {
  setSession: {
    primaryType: 'SetSession',
    fields: [
      { name: 'sessionKey', type: 'address' },
      { name: 'limit', type: 'uint64' },
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
  wallet: { address: string; chain: 'base' | 'base-sepolia' },
  kind: OwnerActionKind,
  message: Record<string, string | number | bigint>,
  { ownerNonce, deadline }: { ownerNonce: string; deadline: number },
): OwnerTypedData {
  const { primaryType, fields } = structs[kind]
  return {
    domain: {
      name: 'Bursar AgentWallet',
      version: '1',
      chainId: wallet.chain === 'base' ? 8453 : 84532,
      verifyingContract: wallet.address as Hex,
    },
    types: { [primaryType]: [...fields, ...turn] },
    primaryType,
    message: { ...message, ownerNonce: BigInt(ownerNonce), deadline },
  }
}
