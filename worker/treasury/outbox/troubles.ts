import { recordTrouble } from '../../db/objectTroubles.ts'
import type { Context } from '../context.ts'
import { hasCode } from '../wallets/plainKey.ts'
import { enqueue } from './enqueue.ts'
import { type Entry, markSent, nextEdition } from './entries.ts'

/** Ref of the entry for the Treasury's size. The ref of every other `trouble` entry is a wallet. */
const sizeRef = 'size'
const largeKey = 'is_large'

/** Reports to operators when the storage grows beyond `ctx.largeBytes` or shrinks below it again. */
export function noteSize(ctx: Context): void {
  const { store } = ctx
  const isLarge = store.databaseSize > ctx.largeBytes
  if (isLarge === (store.meta(largeKey) === '1')) return
  store.transaction(() => {
    store.setMeta(largeKey, isLarge ? '1' : '0')
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
  const detail = store.meta(largeKey) === '1' ? `${store.databaseSize} bytes` : null
  return { kind: 'account_size', subject: userId, detail } as const
}

/** A halt for contract code is the owner's doing and ends without operators, so it is not reported. */
function haltTrouble({ store }: Context, walletId: string) {
  const halted = store.liveWallet(walletId)?.halted ?? null
  return { kind: 'wallet_halted', subject: walletId, detail: halted === hasCode ? null : halted } as const
}
