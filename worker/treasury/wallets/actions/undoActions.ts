import type { Context } from '../../context.ts'
import { audit } from '../../ledger/audit.ts'
import type { WalletRow } from '../../storage/rows.ts'
import type { WalletActionRow } from './actions.ts'
import { isChanging } from './sessionChange.ts'

const replaced = 'A reorganisation of the chain undid it. Another change of the session key is under way.'

/**
 * Actions that the chain showed in a block that is not final are under way again: they are submitted once more, and end by
 * what the chain shows. Inside a transaction. Of several changes of the session only the first can be: the wallet accepts
 * the later ones only after it, and one at a time is followed.
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
