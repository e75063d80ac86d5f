import { type WakeReply, wakeReply } from '#domain/watch.ts'
import type { WalletHint } from '../../watch/api.ts'
import type { Context } from '../core/context.ts'
import { readBy } from '../wallets/idleReads.ts'
import { bookedState, hinted } from '../wallets/watching.ts'
import { isBusy } from './settle.ts'

/**
 * Watch has seen that idle wallets differ from what it was told. That is a hint: it only starts a reading, unless the wallet is
 * read anyway or the books are as new. Replies are in the order of the hints.
 */
export const heedHints = (ctx: Context, hints: readonly WalletHint[]): WakeReply[] =>
  ctx.store.transaction(() =>
    hints.map(({ walletId, ...seen }) => {
      const wallet = ctx.store.wallet(walletId)
      if (!wallet || wallet.status === 'deleted') return { state: 'gone' }
      if (wallet.status !== 'active' || isBusy(ctx, wallet)) return { state: 'busy' }
      const reply = wakeReply(bookedState(ctx, wallet), seen)
      if (reply.state === 'reads') {
        hinted(ctx).add(walletId)
        readBy(ctx, walletId, ctx.now())
      }
      return reply
    }),
  )
