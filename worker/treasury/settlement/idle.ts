import { dayMs } from '#domain/time.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { dueWallets, idleOf, recordRead } from '../wallets/idleReads.ts'
import { look } from '../wallets/look.ts'
import { readSession } from '../wallets/session.ts'
import { checkPlainKey } from '../wallets/sessionKeys.ts'
import { hasMismatch } from '../wallets/walletHalts.ts'
import { endFinal } from './finality.ts'
import { scanWallet } from './scan.ts'
import { isBusy } from './settle.ts'

/** Logs are read this often even if nothing has changed: amounts may cancel out, and payouts may be settled without us. */
const logsEveryMs = dayMs

/** Reads each idle wallet that is due, even after a failure; then throws the first failure. */
export async function readIdleWallets(ctx: Context): Promise<void> {
  const failures: unknown[] = []
  for (const wallet of dueWallets(ctx)) await readIdle(ctx, wallet).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/**
 * Usually one call: if the wallet's state is the one that was last read, no money has moved. Otherwise its logs are read. A
 * wallet with more logs than one scan reads stays due.
 */
async function readIdle(ctx: Context, wallet: WalletRow): Promise<void> {
  if (wallet.status === 'failed') {
    await followDeploy(ctx, wallet)
    return recordRead(ctx, wallet.id, {})
  }
  // settle.ts reads it.
  if (isBusy(ctx, wallet)) return recordRead(ctx, wallet.id, { isActive: true })
  const seen = await look(ctx, wallet)
  if (wallet.kind === 'imported') await checkPlainKey(ctx, wallet)
  else if (seen.state === null) await readSession(ctx, wallet)
  const idle = idleOf(ctx, wallet.id)
  const isChanged = seen.digest !== idle.state
  const isLogsDue = Math.abs(ctx.now() - idle.logs_read_at) >= logsEveryMs
  const isUnclear = hasMismatch(wallet) || wallet.suspect_block !== null
  if (!isChanged && !isLogsDue && !isUnclear) return recordRead(ctx, wallet.id, { balance: seen.balance })

  // It records the state at the block up to which logs were read; a later change is found by the next reading.
  if (!(await scanWallet(ctx, wallet.id))) return
  await endFinal(ctx, wallet)
  recordRead(ctx, wallet.id, { balance: seen.balance, isActive: isChanged })
}
