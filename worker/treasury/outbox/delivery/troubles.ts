import { minuteMs } from '#domain/time.ts'
import { recordTrouble } from '../../../db/troubles.ts'
import type { Context } from '../../core/context.ts'
import { inMemory } from '../../core/memory.ts'
import { enqueue } from '../enqueue.ts'
import { type Entry, markSent, nextEdition } from '../entries.ts'

/** Refs of the entries for the Treasury's size and for its History. The ref of every other `trouble` entry is a wallet. */
const sizeRef = 'size'
const historyRef = 'history'
/** Operators hear of a History that has been late for so long. It does not respond while it moves, or for a deployment. */
const historyLateMs = 10 * minuteMs

/** Alerts start here. An object's SQLite holds 10 GB, and above 8 GB new work is refused (storage/store.ts). */
export const storage = inMemory(() => ({ largeBytes: 6_000_000_000 }))

/** Reports to operators when the storage grows beyond `largeBytes` or shrinks below it again. */
export function recordSize(ctx: Context): void {
  const { store } = ctx
  const isLarge = store.databaseSize > storage(ctx).largeBytes
  if (isLarge === (store.meta('is_large') ?? false)) return
  store.transaction(() => {
    store.setMeta('is_large', isLarge)
    enqueue(ctx, 'trouble', sizeRef)
  })
}

/** Reports to operators when History stays late, and when it has all changes again. `detail`: why; null if it has them. */
export function recordHistory(ctx: Context, detail: string | null): void {
  const { store, now } = ctx
  const known = store.meta('history_problem')
  if (known === null && detail === null) return
  const since = known?.since ?? now()
  const isReported = known?.isReported || now() - since >= historyLateMs
  store.transaction(() => {
    store.setMeta('history_problem', detail === null ? null : { since, detail, isReported })
    if (detail === null ? known?.isReported : isReported && !known?.isReported) enqueue(ctx, 'trouble', historyRef)
  })
}

/** Writes the current state that the entry refers to to D1, where alerts read it. */
export async function reportTrouble(ctx: Context, entry: Entry): Promise<void> {
  const { db, userId, now } = ctx
  await recordTrouble(db, { since: now(), ...troubleOf(ctx, entry.ref), userId, edition: nextEdition(ctx) })
  markSent(ctx, entry)
}

function troubleOf(ctx: Context, ref: string) {
  if (ref === sizeRef) return sizeTrouble(ctx)
  return ref === historyRef ? historyTrouble(ctx) : haltTrouble(ctx, ref)
}

function sizeTrouble({ store, userId }: Context) {
  const detail = store.meta('is_large') ? `${store.databaseSize} bytes` : null
  return { kind: 'account_size', subject: userId, detail } as const
}

function historyTrouble({ store, userId, now }: Context) {
  const { since, detail } = store.meta('history_problem') ?? { since: now(), detail: null }
  return { kind: 'history_late', subject: userId, since, detail } as const
}

/** A halt for contract code is the owner's doing and ends without operators, so it is not reported. */
function haltTrouble({ store }: Context, walletId: string) {
  const wallet = store.liveWallet(walletId)
  const detail = wallet?.halt_kind && wallet.halt_kind !== 'code' ? `${wallet.halt_kind}: ${wallet.halt_detail}` : null
  return { kind: 'wallet_halted', subject: walletId, detail } as const
}
