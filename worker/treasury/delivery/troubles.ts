import { recordTrouble } from '../../db/troubles.ts'
import type { Context } from '../core/context.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { type Entry, markSent, nextEdition } from '../outbox/entries.ts'

/** Ref of the entry for the Treasury's size. The ref of every other `trouble` entry is a wallet. */
const sizeRef = 'size'

/** Reports to operators when the storage grows beyond `ctx.largeBytes` or shrinks below it again. */
export function recordSize(ctx: Context): void {
  const { store } = ctx
  const isLarge = store.databaseSize > ctx.largeBytes
  if (isLarge === (store.meta('is_large') ?? false)) return
  store.transaction(() => {
    store.setMeta('is_large', isLarge)
    enqueue(ctx, 'trouble', sizeRef)
  })
}

/** Writes the current state of the wallet, or of the Treasury's size, to D1, where alerts read it. */
export async function reportTrouble(ctx: Context, entry: Entry): Promise<void> {
  const { db, userId, now } = ctx
  const trouble = entry.ref === sizeRef ? sizeTrouble(ctx) : haltTrouble(ctx, entry.ref)
  await recordTrouble(db, { ...trouble, userId, edition: nextEdition(ctx), since: now() })
  markSent(ctx, entry)
}

function sizeTrouble({ store, userId }: Context) {
  const detail = store.meta('is_large') ? `${store.databaseSize} bytes` : null
  return { kind: 'account_size', subject: userId, detail } as const
}

/** A halt for contract code is the owner's doing and ends without operators, so it is not reported. */
function haltTrouble({ store }: Context, walletId: string) {
  const wallet = store.liveWallet(walletId)
  const detail = wallet?.halt_kind && wallet.halt_kind !== 'code' ? `${wallet.halt_kind}: ${wallet.halt_detail}` : null
  return { kind: 'wallet_halted', subject: walletId, detail } as const
}
