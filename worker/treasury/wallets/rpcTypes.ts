import type { Address, ChainId, Hex } from '../../chain/types.ts'

/** `purchaseAllowance` in whole USDC, at most the limit of the first session; 0 if it is left out. */
export type DeployInput = {
  key: string | null
  owner: Address
  chainId: ChainId
  name: string | null
  purchaseAllowance?: number | undefined
}

export type ImportInput = {
  key: string | null
  name: string | null
  address: Address
  chainId: ChainId
  policyGroupId: string | null
  privateKey: Hex
  masterPassword: string
}

/** `limit` in micro-USDC, `purchaseAllowance` in whole USDC of it; the present one stays if it is left out. */
export type RotateInput = {
  key: string | null
  walletId: string
  limit: bigint
  purchaseAllowance?: number | undefined
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
