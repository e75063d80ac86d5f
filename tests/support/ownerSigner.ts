/** Signatures of a wallet's owner, over the typed data that the dashboard signs. */
import { hashTypedData } from 'viem/utils'
import { ownerTypedData } from '#web/lib/ownerTypedData.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'

type OwnerAction =
  | {
      kind: 'setSession'
      session: { sessionKey: Address; limit: bigint; purchaseAllowance: number; validUntil: number }
    }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; token: Address; to: Address; amount: bigint }

type Domain = { chainId: number; contract: Address }
type Turn = { ownerNonce: bigint; deadline: number }

export function ownerDigest({ chainId, contract }: Domain, action: OwnerAction, turn: Turn): Hex {
  const wallet = { address: contract, chain: chainId === 8453 ? 'base' : 'base-sepolia' } as const
  const { kind, ...rest } = action
  const message = 'session' in rest ? rest.session : rest
  return hashTypedData(ownerTypedData(wallet, kind, message, { ...turn, ownerNonce: String(turn.ownerNonce) }) as never)
}

/** Returns 65 bytes: r ‖ s ‖ v. */
export function ownerSignature(domain: Domain, action: OwnerAction, turn: Turn, key: Hex): Hex {
  const { r, vs } = signCompact(ownerDigest(domain, action, turn), key)
  const word = BigInt(vs)
  const s = (word & ((1n << 255n) - 1n)).toString(16).padStart(64, '0')
  return `${r}${s}${(27n + (word >> 255n)).toString(16)}` as Hex
}
