import { dayMs, isoOf } from '#domain/time.ts'
import type { WalletActionView } from '#schemas/sessionKey.ts'
import type { Block } from '../../../chain/types.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn } from '../../core/storage/columns.ts'
import type { WalletActionRow } from '../../core/storage/rows.ts'
import { isOpenAction } from '../../core/storage/statuses.ts'

/**
 * A change of the wallet itself, delivered like a payment: signed by the provider's operator (`rotate`) or by the owner,
 * stored before it leaves, settled by the chain alone. A rotation is stored with its new key before anything is signed,
 * so it survives a crash at any step, and its key is already known when it appears on chain.
 *
 *     offered → draining   the owner signed the new session that Bursar had offered (`setSession`)
 *     draining → sent      payments of the old session have ended, or five minutes are over; a rotation is signed now
 *     draining → failed    the wallet would refuse it; or a rotation was overtaken, or Bursar may no longer sign it
 *     sent → done          the wallet shows the change at `CONFIRM_DEPTH`
 *     sent → failed        a finalized block shows that it can't be executed any more
 *     done → sent          a reorganization undid it; it is submitted again
 *     done → failed        the same, while another change of the session key is in progress
 *     any open → failed    the account is restored from a backup
 *
 * An offer begins as `offered`, a rotation as `draining`, another owner action as `sent`. The settle alarm (follow.ts) moves
 * `draining` and `sent`.
 */

/** True for actions with which the owner takes back control of the wallet or its money. */
export const isExit = ({ kind }: { kind: WalletActionRow['kind'] }) =>
  kind === 'withdraw' || kind === 'revokeSession' || kind === 'disableRotation'

export const openActions = (ctx: Context, walletId: string) =>
  ctx.store.all<WalletActionRow>(
    `SELECT * FROM wallet_action WHERE wallet_id = ? AND ${isOpenAction} ORDER BY created_at`,
    walletId,
  )

export const hasOpenAction = (ctx: Context, walletId: string) => openActions(ctx, walletId).length > 0

/** Signed actions that may still be executed. */
export const deliverableActions = (ctx: Context) =>
  ctx.store.all<WalletActionRow>(`SELECT * FROM wallet_action WHERE ${isOpenAction} AND status = 'sent'`)

/** True while another session key is about to replace the present one, or may still do. `head` is the newest block. */
export const isReplaced = ({ store }: Context, walletId: string, head: Block): boolean =>
  store
    .cached('wallet_action', `replacing ${walletId}`, () =>
      store.all<Pick<WalletActionRow, 'deadline'>>(
        `SELECT deadline FROM wallet_action WHERE wallet_id = ? AND kind IN ('rotate','setSession') AND ${isOpenAction}`,
        walletId,
      ),
    )
    .some(({ deadline }) => deadline === null || deadline >= head.timestamp)

const shownMs = dayMs

const shownCount = 10

/** Open actions and those that ended within the last 24 hours, newest first. */
export const recentActions = (ctx: Context, walletId: string): WalletActionView[] =>
  ctx.store
    .all<WalletActionRow>(
      `SELECT * FROM wallet_action WHERE wallet_id = ?1 AND ${isOpenAction}
       UNION ALL SELECT * FROM wallet_action WHERE wallet_id = ?1 AND ended_at > ?2
       ORDER BY created_at DESC, id DESC LIMIT ?3`,
      walletId,
      ctx.now() - shownMs,
      shownCount,
    )
    .map(actionView)

const actionView = (action: WalletActionRow): WalletActionView => ({
  id: action.id,
  kind: action.kind,
  status: action.status as WalletActionView['status'],
  sessionKeyAddress: action.key_address,
  spendingLimit: action.spend_limit === null ? null : String(action.spend_limit),
  purchaseAllowance: action.purchase_allowance,
  validUntil: action.valid_until,
  toAddress: action.to_address,
  amount: action.amount === null ? null : formatColumn(action.amount),
  txHash: action.tx_hash,
  error: action.error,
  createdAt: isoOf(action.created_at),
  endedAt: isoOf(action.ended_at),
})
