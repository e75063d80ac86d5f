/** What an owner signs for a wallet, as the dashboard would send it. */
import {
  disableRotationAuthorityDigest,
  type OwnerAuthorization,
  revokeSessionDigest,
  setSessionDigest,
  withdrawDigest,
} from '../../worker/chain/digests.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'

type Asked =
  | { kind: 'setSession'; session: { sessionKey: Address; limit: bigint; validUntil: number } }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; token: Address; to: Address; amount: bigint }

/** 65 bytes, r ‖ s ‖ v. */
export function ownerSignature(
  domain: { chainId: number; contract: Address },
  asked: Asked,
  turn: OwnerAuthorization,
  key: Hex,
): Hex {
  const digest = () => {
    switch (asked.kind) {
      case 'setSession':
        return setSessionDigest(domain, { ...asked.session, ...turn })
      case 'revokeSession':
        return revokeSessionDigest(domain, turn)
      case 'disableRotation':
        return disableRotationAuthorityDigest(domain, turn)
      case 'withdraw':
        return withdrawDigest(domain, { ...asked, ...turn })
    }
  }
  const { r, vs } = signCompact(digest(), key)
  const word = BigInt(vs)
  const s = (word & ((1n << 255n) - 1n)).toString(16).padStart(64, '0')
  return `${r}${s}${(27n + (word >> 255n)).toString(16)}` as Hex
}
