import type { OwnerSigningContext } from '#schemas/sessionKey.ts'
import type { WalletState } from '../../../chain/types.ts'
import { ok, type Result } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { activeSmartWallet } from './onChain.ts'

/** How long an owner's signature can be submitted; the contract accepts up to a day. */
const ownerSignatureSeconds = 3600

export const signingContextAt = (state: WalletState): OwnerSigningContext => ({
  ownerNonce: state.ownerNonce.toString(),
  deadline: state.timestamp + ownerSignatureSeconds,
  balance: state.balance.toString(),
})

/** Returns the values that the owner's next signature must bind. Throws RpcUnavailable. */
export async function ownerSigningContext(ctx: Context, walletId: string): Promise<Result<OwnerSigningContext>> {
  const live = await activeSmartWallet(ctx, walletId)
  return live.ok ? ok(signingContextAt(live.value.state)) : live
}
