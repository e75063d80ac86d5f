import type { Context } from '../../core/context.ts'
import { audit } from '../../ledger/audit.ts'
import type { WalletActionRow, WalletRow } from '../../storage/rows.ts'
import { isChanging } from './sessionChange.ts'

const replaced = 'A chain reorganisation undid this change. Another change of the session key is in progress.'

/**
 * Reopens actions that the chain showed as done in a block that is not final: they are submitted again, and the chain
 * decides how they end. Call inside a transaction. Of several session changes only the first is reopened and the others
 * fail, because only one is followed at a time and the wallet accepts the later ones only after it.
 */
export function undoActions(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  const done = store.all<WalletActionRow>(
    "SELECT * FROM wallet_action WHERE wallet_id = ? AND status = 'done' AND done_block > ? ORDER BY done_block, created_at",
    wallet.id,
    wallet.final_block,
  )
  for (const { id, kind } of done) {
    const isReplaced = (kind === 'rotate' || kind === 'setSession') && isChanging(ctx, wallet.id)
    store.run(
      'UPDATE wallet_action SET status = ?, error = ?, ended_at = ?, done_block = NULL WHERE id = ?',
      isReplaced ? 'failed' : 'sent',
      isReplaced ? replaced : null,
      isReplaced ? ctx.now() : null,
      id,
    )
    audit(store, ctx.now(), 'action.undone', id, { kind })
  }
}
