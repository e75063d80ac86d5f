import { stepGas } from '#domain/gasAllowance.ts'
import { formatUsdc, formatUsdcText } from '#domain/money.ts'
import { allowanceInMicro, allowanceProblem } from '#domain/sessionKey.ts'
import { dayMs } from '#domain/time.ts'
import type { Address, WalletState } from '../../../chain/types.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../../result.ts'
import { suspendedOwner } from '../../core/commonRefusals.ts'
import { type Context, newId } from '../../core/context.ts'
import { walletSetRefusal } from '../../core/contracts.ts'
import { freshStop, rotationRefusal } from '../../core/stop.ts'
import { toColumn } from '../../core/storage/columns.ts'
import type { WalletActionRow, WalletRow } from '../../core/storage/rows.ts'
import { isOpenAction } from '../../core/storage/statuses.ts'
import { audit } from '../../ledger/audit.ts'
import { findReplay, idempotentRequest, remember } from '../../ledger/idempotency.ts'
import { withGas } from '../../limits/gas.ts'
import { takeOwnerAction } from '../../limits/ownerActions.ts'
import { takeIncrease } from '../../limits/ownerPassword.ts'
import type { RotateInput } from '../rpcTypes.ts'
import { readSession } from '../session.ts'
import { newSessionKey } from '../sessionKeys.ts'
import { callRefusal, noOperator, operatorKey, rotationAt, signedRotation } from './calls.ts'

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
  if (!operator) return noOperator
  const allowance = allowanceFor(ctx, wallet, state, input)
  if (!allowance.ok) return allowance
  const purchaseAllowance = allowance.value
  const key = await newSessionKey(ctx, wallet.id)
  const { limit, hours } = input
  const rotation = rotationAt(state, { key: key.address, limit, hours, purchaseAllowance })
  const refused = await callRefusal(ctx, wallet, signedRotation(wallet, rotation, operator))
  if (refused) return refused
  const start = (): Result<WalletActionRow> => {
    const meanwhile = actionReplay(ctx, 'rotate', input)
    if (meanwhile) return meanwhile
    if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
    if (isChanging(ctx, wallet.id)) return changeInProgress
    // An expired session lets nothing leave, whatever it has left. As the wallet does, this credits what sends have left: what
    // purchases have used of their allowance is unknown.
    const more = limit - (state.validUntil < state.timestamp ? 0n : state.remaining)
    const limited =
      takeIncrease(ctx, more > 0n ? more : 0n, input.passwordChecked ?? false) ??
      takeOwnerAction(ctx, 'rotate', wallet.chain_id)
    if (limited) return limited
    const session = { ...key, purchaseAllowance, epoch: state.epoch, validUntil: null }
    const id = insertSession(ctx, wallet, 'rotate', 'draining', input, session)
    ctx.schedule('settle', ctx.now())
    return ok(ctx.store.walletAction(id)!)
  }
  const work = { chainId: wallet.chain_id, gas: stepGas.rotate, purpose: 'work' } as const
  return withGas(ctx, work, () => ctx.store.attempt(start))
}

export type LiveWallet = { wallet: WalletRow; state: WalletState }

/** Returns an active smart wallet of this user and its latest state on chain, after updating the session table. */
export async function activeSmartWallet(ctx: Context, walletId: string): Promise<Result<LiveWallet>> {
  const wallet = ctx.store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  const state = wallet.status === 'active' ? ((await readSession(ctx, wallet))?.latest ?? null) : null
  if (!state) return refuse('wallet_not_ready', 'The wallet is not ready yet.')
  return ok({ wallet, state })
}

/**
 * The purchase allowance of the session that replaces the present one, in whole USDC: the requested one, or the present one.
 * A revoked session has none on chain, so then that of the last session that Bursar had.
 */
export function allowanceFor(
  { store }: Context,
  wallet: WalletRow,
  state: WalletState,
  { limit, purchaseAllowance }: RotateInput,
): Result<number> {
  const last = () => store.lastSession(wallet.id)?.purchase_allowance ?? wallet.purchase_allowance
  const allowance = purchaseAllowance ?? (state.sessionRevoked ? last() : state.purchaseAllowance)
  const problem = allowanceProblem(allowance, limit)
  if (problem === null) return ok(allowance)
  if (purchaseAllowance !== undefined) return refuse('invalid_input', problem, { field: 'purchaseAllowance' })
  const text = formatUsdcText(allowanceInMicro(allowance))
  return refuse(
    'invalid_input',
    `Spending limit must be at least ${text} USDC, which this wallet’s session keys set aside for purchases`,
    { field: 'spendingLimit' },
  )
}

/** How long payments of the old session may delay its replacement. */
export const drainMs = 5 * 60_000 // 5 minutes

/** Maximum number of new session keys per wallet in 24 hours: Bursar pays for rotations, and keys' rows are kept forever. */
export const maxPerDay = 100

export const startedWithinDay = (ctx: Context, walletId: string) =>
  ctx.store.count('wallet_action WHERE wallet_id = ? AND created_at > ?', walletId, ctx.now() - dayMs)

export const tooOften: Refused = refuse(
  'rate_limited',
  'This wallet’s session key was changed too often today. Please try again tomorrow.',
  { retryAfter: 3600 },
)

/** The two ways to start a new session: a rotation under the provider's authority, or a change that the owner signs. */
type SessionChange = 'rotate' | 'setSession'

const requestOf = (kind: SessionChange, { key, walletId, limit, hours, purchaseAllowance }: RotateInput) =>
  idempotentRequest({ type: 'user' }, key, [kind, walletId, limit, hours, purchaseAllowance ?? null])

/** The action that an earlier request with this idempotency key started; null if there was none. */
export function actionReplay(ctx: Context, kind: SessionChange, input: RotateInput): Result<WalletActionRow> | null {
  const replay = findReplay(ctx.store, requestOf(kind, input))
  return replay && (replay.ok ? ok(ctx.store.walletAction(replay.value)!) : replay)
}

export const changeInProgress: Refused = refuse(
  'conflict',
  'The session key is already being changed. Please wait until that change has ended.',
)

/** True while a session change is in progress. Only one is allowed at a time; a partial unique index enforces it as well. */
export const isChanging = (ctx: Context, walletId: string) =>
  ctx.store.first(
    `SELECT 1 FROM wallet_action WHERE wallet_id = ? AND kind IN ('rotate','setSession') AND ${isOpenAction}`,
    walletId,
  ) !== null

export function insertSession(
  ctx: Context,
  wallet: WalletRow,
  kind: SessionChange,
  status: 'draining' | 'offered',
  input: RotateInput,
  /** `epoch` is that of the session to be replaced; null if the owner's signature binds it. */
  session: {
    address: Address
    sealed: string
    purchaseAllowance: number
    epoch: number | null
    validUntil: number | null
  },
): string {
  const { store } = ctx
  const id = newId(ctx, 'act')
  const now = ctx.now()
  store.insert('wallet_action', {
    id,
    wallet_id: wallet.id,
    kind,
    status,
    key_address: session.address,
    sealed_key: session.sealed,
    spend_limit: toColumn(input.limit),
    ttl_hours: input.hours,
    purchase_allowance: session.purchaseAllowance,
    epoch: session.epoch,
    valid_until: session.validUntil,
    drain_until: now + drainMs,
    created_at: now,
  })
  remember(store, requestOf(kind, input), 'action', id, now)
  audit(store, now, `action.${status}`, id, {
    kind,
    wallet: wallet.id,
    sessionKey: session.address,
    limit: formatUsdc(input.limit),
    purchaseAllowance: session.purchaseAllowance,
    hours: input.hours,
  })
  return id
}
