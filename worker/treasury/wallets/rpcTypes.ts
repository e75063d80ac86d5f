import type { Address, ChainId, Hex } from '../../chain/types.ts'

export type DeployInput = { key: string | null; owner: Address; chainId: ChainId; name: string | null }

export type ImportInput = {
  key: string | null
  name: string | null
  address: Address
  chainId: ChainId
  policyGroupId: string | null
  privateKey: Hex
  masterPassword: string
}

/** `limit` in micro-USDC. */
export type RotateInput = {
  key: string | null
  walletId: string
  limit: bigint
  hours: number
  passwordChecked?: boolean
}

/** An owner's signature over one of the wallet's owner actions. `deadline` in unix seconds. */
export type OwnerActionInput = {
  walletId: string
  ownerNonce: bigint
  deadline: number
  signature: Hex
} & (
  | { kind: 'setSession'; actionId: string }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; to: Address; amount: bigint }
)
