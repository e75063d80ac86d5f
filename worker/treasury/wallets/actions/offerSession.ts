import type { SessionOffer } from '#schemas/sessionKey.ts'
import { notFound, ok, type Result } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { takeOwnerAction } from '../../limits/ownerActions.ts'
import type { RotateInput } from '../rpcTypes.ts'
import { newSessionKey } from '../sessionKeys.ts'
import { actionOf } from './actions.ts'
import { activeSmartWallet } from './onChain.ts'
import { actionReplay, insertSession, maxPerDay, startedWithinDay, tooOften } from './sessionChange.ts'
import { signingContextAt } from './signingContext.ts'

/** Creates a session key that takes effect only with the owner's signature. The offer can be signed at any later time. */
export async function offerSession(ctx: Context, input: RotateInput): Promise<Result<SessionOffer>> {
  const live = await activeSmartWallet(ctx, input.walletId)
  if (!live.ok) return live
  const { wallet, state } = live.value
  let found = actionReplay(ctx, 'setSession', input)
  if (!found) {
    if (startedWithinDay(ctx, wallet.id) >= maxPerDay) return tooOften
    const key = await newSessionKey(ctx, wallet.id)
    found = ctx.store.transaction(() => {
      const meanwhile = actionReplay(ctx, 'setSession', input)
      if (meanwhile) return meanwhile
      if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
      const limited = takeOwnerAction(ctx, 'offer')
      if (limited) return limited
      const validUntil = state.timestamp + input.hours * 3600
      const id = insertSession(ctx, wallet, 'setSession', 'offered', input, key, { epoch: null, validUntil })
      return ok(actionOf(ctx, id)!)
    })
  }
  if (!found.ok) return found
  const { id, key_address, spend_limit, valid_until } = found.value
  const offer = { sessionKeyAddress: key_address!, spendingLimit: String(spend_limit), validUntil: valid_until! }
  return ok({ ...signingContextAt(state), actionId: id, ...offer })
}
