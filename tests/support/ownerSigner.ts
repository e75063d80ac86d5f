/** Signatures of a wallet's owner, as the dashboard would send them. */
import {
  disableRotationAuthorityDigest,
  type OwnerAuthorization,
  revokeSessionDigest,
  setSessionDigest,
  withdrawDigest,
} from '../../worker/chain/digests.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'

type OwnerAction =
  | { kind: 'setSession'; session: { sessionKey: Address; limit: bigint; validUntil: number } }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; token: Address; to: Address; amount: bigint }

/** Returns 65 bytes: r ‖ s ‖ v. */
export function ownerSignature(
  domain: { chainId: number; contract: Address },
  action: OwnerAction,
  turn: OwnerAuthorization,
  key: Hex,
): Hex {
  const digest = () => {
    switch (action.kind) {
      case 'setSession':
        return setSessionDigest(domain, { ...action.session, ...turn })
      case 'revokeSession':
        return revokeSessionDigest(domain, turn)
      case 'disableRotation':
        return disableRotationAuthorityDigest(domain, turn)
      case 'withdraw':
        return withdrawDigest(domain, { ...action, ...turn })
    }
  }
  const { r, vs } = signCompact(digest(), key)
  const word = BigInt(vs)
  const s = (word & ((1n << 255n) - 1n)).toString(16).padStart(64, '0')
  return `${r}${s}${(27n + (word >> 255n)).toString(16)}` as Hex
}
