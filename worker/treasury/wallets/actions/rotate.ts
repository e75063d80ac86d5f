import { stepGas } from '#domain/gasAllowance.ts'
import { notFound, ok, type Result, refuse } from '../../../result.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import type { Context } from '../../core/context.ts'
import { walletSetRefusal } from '../../core/contracts.ts'
import { freshStop, rotationRefusal } from '../../core/stop.ts'
import { obtainGas } from '../../limits/gasGrant.ts'
import { takeOwnerAction } from '../../limits/ownerActions.ts'
import type { WalletActionRow } from '../../storage/rows.ts'
import type { RotateInput } from '../rpcTypes.ts'
import { newSessionKey } from '../sessionKeys.ts'
import { actionOf } from './actions.ts'
import { callRefusal, operatorKey, rotationAt, signedRotation } from './calls.ts'
import { activeSmartWallet } from './onChain.ts'
import {
  actionReplay,
  changeInProgress,
  insertSession,
  isChanging,
  maxPerDay,
  startedWithinDay,
  tooOften,
} from './sessionChange.ts'

/**
 * Starts a rotation to a new session key under the provider's authority. Refuses if the wallet would refuse it now;
 * otherwise stores it with its key. The settle alarm signs it once the old session's payments are settled, and follows
 * it from then on. Throws RpcUnavailable.
 */
export async function rotate(ctx: Context, input: RotateInput): Promise<Result<WalletActionRow>> {
  const before = actionReplay(ctx, 'rotate', input)
  if (before) return before
  if (startedWithinDay(ctx, input.walletId) >= maxPerDay) return tooOften
  const [live] = await Promise.all([activeSmartWallet(ctx, input.walletId), freshStop(ctx)])
  if (!live.ok) return live
  const { wallet, state } = live.value
  const stopped = walletSetRefusal(ctx, wallet) ?? suspendedOwner(ctx) ?? rotationRefusal(ctx)
  if (stopped) return stopped
  const operator = operatorKey(ctx)
  if (!operator) return refuse('owner_must_sign', 'Bursar cannot rotate session keys here. Sign with your owner key.')
  const ungranted = await obtainGas(ctx, wallet.chain_id, stepGas.rotate)
  if (ungranted) return ungranted
  const key = await newSessionKey(ctx, wallet.id)
  const rotation = rotationAt(state, { key: key.address, limit: input.limit, hours: input.hours })
  const refused = await callRefusal(ctx, wallet, signedRotation(wallet, rotation, operator))
  if (refused) return refused
  return ctx.store.transaction((): Result<WalletActionRow> => {
    const meanwhile = actionReplay(ctx, 'rotate', input)
    if (meanwhile) return meanwhile
    if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
    if (isChanging(ctx, wallet.id)) return changeInProgress
    const limited = takeOwnerAction(ctx, 'rotate')
    if (limited) return limited
    const id = insertSession(ctx, wallet, 'rotate', 'draining', input, key, { epoch: state.epoch, validUntil: null })
    ctx.schedule('settle', ctx.now())
    return ok(actionOf(ctx, id)!)
  })
}
