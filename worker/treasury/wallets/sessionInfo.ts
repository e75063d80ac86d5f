import type { RotateReply, SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { WalletState } from '../../chain/types.ts'
import { notFound, ok, type Result } from '../../result.ts'
import { isNodeTrouble } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import type { SessionRow, WalletActionRow } from '../storage/rows.ts'
import { recentActions } from './actions/actions.ts'
import { operatorKey } from './actions/calls.ts'
import { readSession } from './session.ts'

/** The session according to ledger and chain; according to the ledger alone if no node responds. */
export async function sessionKeyInfo(ctx: Context, walletId: string): Promise<Result<SessionKeyInfo>> {
  const { store } = ctx
  const wallet = store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  let state: WalletState | null = null
  try {
    state = wallet.status === 'active' ? ((await readSession(ctx, wallet))?.latest ?? null) : null
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
  }
  const current = store.session(walletId)
  const session =
    current ??
    store.first<SessionRow>('SELECT * FROM session WHERE wallet_id = ? ORDER BY epoch DESC LIMIT 1', walletId)
  const validUntil = session?.valid_until ?? wallet.valid_until
  const isExpired = validUntil * 1000 < (state ? state.timestamp * 1000 : ctx.now())
  const rotationDisabled = state?.rotationDisabled ?? false
  const sessionRevoked = state?.sessionRevoked ?? false
  return ok({
    address: session?.key_address ?? wallet.session_key,
    spendingLimit: String(session?.spend_limit ?? wallet.session_limit),
    spentAmount: String(session?.used ?? 0),
    heldAmount: String(session?.held ?? 0),
    validUntil,
    isExpired,
    isActive: current !== null && !isExpired,
    canRotate: operatorKey(ctx) !== null && !rotationDisabled && !sessionRevoked,
    nonce: session?.epoch ?? 0,
    rotationDisabled,
    sessionRevoked,
    actions: recentActions(ctx, walletId),
  })
}

/** The response to a rotation request. */
export async function rotateReply(ctx: Context, action: WalletActionRow): Promise<Result<RotateReply>> {
  const info = await sessionKeyInfo(ctx, action.wallet_id)
  return info.ok ? ok({ ...info.value, actionId: action.id }) : info
}
