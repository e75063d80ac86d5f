import { stepGas } from '#domain/gasAllowance.ts'
import type { OwnerSigningContext, SessionOffer } from '#schemas/sessionKey.ts'
import type { Hex, WalletState } from '../../../chain/types.ts'
import { notFound, ok, type Result, refuse } from '../../../result.ts'
import { type Context, newId } from '../../core/context.ts'
import { deliveryRefusal, freshStop } from '../../core/stop.ts'
import { toColumn } from '../../core/storage/columns.ts'
import type { WalletActionRow } from '../../core/storage/rows.ts'
import { isOpenAction } from '../../core/storage/statuses.ts'
import { audit } from '../../ledger/audit.ts'
import { withGas } from '../../limits/gas.ts'
import { takeOwnerAction } from '../../limits/ownerActions.ts'
import type { OwnerActionInput, RotateInput } from '../rpcTypes.ts'
import { newSessionKey } from '../sessionKeys.ts'
import { isExit } from './actions.ts'
import { callRefusal, grantedBy, ownerCall } from './calls.ts'
import {
  actionReplay,
  activeSmartWallet,
  allowanceFor,
  changeInProgress,
  drainMs,
  insertSession,
  isChanging,
  type LiveWallet,
  maxPerDay,
  startedWithinDay,
  tooOften,
} from './sessionChange.ts'

/** How long an owner's signature can be submitted; the contract accepts up to a day. */
const ownerSignatureSeconds = 3600

const signingContextAt = (state: WalletState): OwnerSigningContext => ({
  ownerNonce: state.ownerNonce.toString(),
  deadline: state.timestamp + ownerSignatureSeconds,
  balance: state.balance.toString(),
})

/** Returns the values that the owner's next signature must bind. Throws RpcUnavailable. */
export async function ownerSigningContext(ctx: Context, walletId: string): Promise<Result<OwnerSigningContext>> {
  const live = await activeSmartWallet(ctx, walletId)
  return live.ok ? ok(signingContextAt(live.value.state)) : live
}

/** Creates a session key that takes effect only with the owner's signature. The offer can be signed at any later time. */
export async function offerSession(ctx: Context, input: RotateInput): Promise<Result<SessionOffer>> {
  const live = await activeSmartWallet(ctx, input.walletId)
  if (!live.ok) return live
  const { wallet, state } = live.value
  let found = actionReplay(ctx, 'setSession', input)
  if (!found) {
    if (startedWithinDay(ctx, wallet.id) >= maxPerDay) return tooOften
    const allowance = allowanceFor(ctx, wallet, state, input)
    if (!allowance.ok) return allowance
    const key = await newSessionKey(ctx, wallet.id)
    found = ctx.store.transaction(() => {
      const meanwhile = actionReplay(ctx, 'setSession', input)
      if (meanwhile) return meanwhile
      if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
      const limited = takeOwnerAction(ctx, 'offer', wallet.chain_id)
      if (limited) return limited
      const validUntil = state.timestamp + input.hours * 3600
      const session = { ...key, purchaseAllowance: allowance.value, epoch: null, validUntil }
      const id = insertSession(ctx, wallet, 'setSession', 'offered', input, session)
      return ok(ctx.store.walletAction(id)!)
    })
  }
  if (!found.ok) return found
  const { id, valid_until } = found.value
  const { key, limit, purchaseAllowance } = grantedBy(found.value)
  const offer = { sessionKeyAddress: key, spendingLimit: String(limit), purchaseAllowance, validUntil: valid_until! }
  return ok({ ...signingContextAt(state), actionId: id, ...offer })
}

/** Submits an action that the owner signed, if a simulation accepts it. The same signature returns the same action. */
export async function submitOwnerAction(ctx: Context, input: OwnerActionInput): Promise<Result<WalletActionRow>> {
  const { store } = ctx
  const [live] = await Promise.all([activeSmartWallet(ctx, input.walletId), freshStop(ctx)])
  if (!live.ok) return live
  const { wallet, state } = live.value
  const offer = input.kind === 'setSession' ? ctx.store.walletAction(input.actionId) : null
  if (input.kind === 'setSession' && (offer?.kind !== 'setSession' || offer.wallet_id !== wallet.id))
    return notFound('Offer')
  const signature = compact(input.signature)
  if (!signature) return refuse('invalid_input', 'This is not a valid signature.', { field: 'signature' })
  const data = ownerCall(
    {
      kind: input.kind,
      ...(offer && { session: { ...grantedBy(offer), validUntil: offer.valid_until! } }),
      ...(input.kind === 'withdraw' && {
        withdraw: { token: ctx.chains[wallet.chain_id].usdc, to: input.to, amount: input.amount },
      }),
    },
    { deadline: input.deadline, ...signature },
  )
  const known = () =>
    store.first<WalletActionRow>('SELECT * FROM wallet_action WHERE wallet_id = ? AND data = ?', wallet.id, data)
  const before = known()
  if (before) return ok(before)
  if (input.kind === 'revokeSession' && state.sessionRevoked) return alreadyDone('The session key is already revoked.')
  if (input.kind === 'disableRotation' && state.rotationDisabled)
    return alreadyDone('Bursar’s authority to rotate the session key is already switched off.')
  const stopped = deliveryRefusal(ctx)
  if (stopped) return stopped
  const refused = await callRefusal(ctx, wallet, data)
  if (refused) return refused

  const start = (): Result<WalletActionRow> => {
    const meanwhile = known()
    if (meanwhile) return ok(meanwhile)
    if (!store.liveWallet(wallet.id)) return notFound('Wallet')
    const taken = store.first(
      `SELECT 1 FROM wallet_action WHERE wallet_id = ? AND owner_nonce = ? AND ${isOpenAction}`,
      wallet.id,
      input.ownerNonce.toString(),
    )
    if (taken)
      return refuse('conflict', 'Another action that you signed is still in progress. Please wait until it has ended.')
    if (offer && isChanging(ctx, wallet.id)) return changeInProgress
    const limited = takeOwnerAction(ctx, isExit(input) ? 'exit' : 'ownerAction', wallet.chain_id)
    if (limited) return limited
    const id = storeSigned(ctx, live.value, offer, input, data)
    if (id === null) return changeInProgress
    const now = ctx.now()
    audit(store, now, 'action.submitted', id, { kind: input.kind, wallet: wallet.id, deadline: input.deadline })
    ctx.schedule('settle', now)
    return ok(ctx.store.walletAction(id)!)
  }
  const purpose = isExit(input) ? 'exit' : 'work'
  return withGas(ctx, { chainId: wallet.chain_id, gas: stepGas.ownerAction, purpose }, () => store.transaction(start))
}

/** Stores the signed action, or the signature of an offer, and returns its id. Null if the offer has changed meanwhile. */
function storeSigned(
  ctx: Context,
  { wallet, state }: LiveWallet,
  offer: WalletActionRow | null,
  input: OwnerActionInput,
  data: Hex,
): string | null {
  const { store } = ctx
  const now = ctx.now()
  const signed = { data, deadline: input.deadline, owner_nonce: input.ownerNonce.toString() }
  if (offer) {
    // Drains first, like a rotation by Bursar, so that payments of the old session can still settle.
    const draining = { ...signed, status: 'draining', drain_until: now + drainMs } as const
    return store.update('wallet_action', offer.id, draining, { status: 'offered' }) ? offer.id : null
  }
  const id = newId(ctx, 'act')
  store.insert('wallet_action', {
    ...signed,
    id,
    wallet_id: wallet.id,
    kind: input.kind,
    status: 'sent',
    epoch: state.epoch,
    ...(input.kind === 'withdraw' && { to_address: input.to, amount: toColumn(input.amount) }),
    first_block: state.blockNumber,
    created_at: now,
  })
  return id
}

/** The wallet would accept this again, at the operator's cost. */
const alreadyDone = (message: string) => refuse('conflict', message)

/** Converts r ‖ s ‖ v (v: 27, 28, 0 or 1) to the compact form of EIP-2098. Returns null for a high s or any other v. */
function compact(signature: Hex): { r: Hex; vs: Hex } | null {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  const parity = v >= 27 ? v - 27 : v
  if ((parity !== 0 && parity !== 1) || s >> 255n !== 0n) return null
  const vs = (BigInt(parity) << 255n) | s
  return { r: signature.slice(0, 66) as Hex, vs: `0x${vs.toString(16).padStart(64, '0')}` }
}
