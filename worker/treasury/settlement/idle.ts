import { dayMs, minuteMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { bookedOf } from '../ledger/balances.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { dueWallets, type IdleReading, idleOf, isOnlyUsed, readBy, recordRead } from '../wallets/idleReads.ts'
import { look } from '../wallets/look.ts'
import { readSession } from '../wallets/session.ts'
import { checkPlainKey } from '../wallets/sessionKeys.ts'
import { hinted, watch } from '../wallets/watching.ts'
import { isUnclear } from './branch.ts'
import { endFinal } from './finality.ts'
import { scanWallet } from './scan.ts'
import { isBusy } from './settle.ts'

/** Logs are read this often even if nothing has changed: amounts may cancel out, and payouts may be settled without us. */
const logsEveryMs = dayMs
/** If a reading does not show what Watch has seen, its node may be behind: one more follows. */
const behindMs = minuteMs

/** Reads each idle wallet that is due, even after a failure; then throws the first failure. */
export async function readIdleWallets(ctx: Context): Promise<void> {
  const failures: unknown[] = []
  for (const wallet of dueWallets(ctx)) await readIdle(ctx, wallet).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function readIdle(ctx: Context, wallet: WalletRow): Promise<void> {
  const { next_read_at: dueAt } = idleOf(ctx, wallet.id)
  const wasHinted = hinted(ctx).delete(wallet.id)
  const reading = await read(ctx, wallet)
  if (reading === null) return
  const { next_read_at: askedAt } = idleOf(ctx, wallet.id)
  recordRead(ctx, wallet.id, reading)
  // Asked for meanwhile, maybe because of something that this reading was too early to see.
  if (askedAt !== dueAt) readBy(ctx, wallet.id, askedAt)
  if (hinted(ctx).has(wallet.id)) readBy(ctx, wallet.id, ctx.now())
  else if (wasHinted && !reading.isActive) readBy(ctx, wallet.id, ctx.now() + behindMs)
}

/**
 * Usually one call: if the wallet's state is the one that was last read, no money has moved. Otherwise its logs are read. Null
 * if it has more logs than one scan reads: it stays due.
 */
async function read(ctx: Context, wallet: WalletRow): Promise<IdleReading | null> {
  if (wallet.status === 'failed') {
    await followDeploy(ctx, wallet)
    return {}
  }
  // settle.ts reads it.
  if (isBusy(ctx, wallet)) return { isActive: true }
  // Watch compares from the block of the books on.
  const isNew = isOnlyUsed(idleOf(ctx, wallet.id)) && !isUnclear(wallet)
  if (isNew && (await watch(ctx, wallet))) return { balance: bookedOf(wallet), isWatched: true }
  const { balance, digest, state } = await look(ctx, wallet)
  if (wallet.kind === 'imported') await checkPlainKey(ctx, wallet)
  else if (state === null) await readSession(ctx, wallet)
  const idle = idleOf(ctx, wallet.id)
  const isChanged = digest !== idle.state
  const isLogsDue = Math.abs(ctx.now() - idle.logs_read_at) >= logsEveryMs
  if (!isChanged && !isLogsDue && !isUnclear(wallet)) return { balance, isWatched: await watch(ctx, wallet) }

  // It records the state at the block up to which logs were read; a later change is found by the next reading.
  if (!(await scanWallet(ctx, wallet.id, undefined, isLogsDue))) return null
  await endFinal(ctx, wallet)
  // If the newest state is not in the books yet, the next reading must not depend on Watch.
  const isBooked = !isUnclear(wallet) && idleOf(ctx, wallet.id).state === digest
  const isWatched = (await watch(ctx, wallet)) && isBooked
  return { balance, isActive: isChanged, isWatched }
}
