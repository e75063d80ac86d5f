import { dayMs } from '#domain/time.ts'
import type { WalletState } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../storage/rows.ts'
import { followDeploy } from '../wallets/deploy.ts'
import { dueWallets, idleOf, recordRead } from '../wallets/idleReads.ts'
import { adopt, readSession } from '../wallets/session.ts'
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
  // settle.ts reads it every second.
  if (isBusy(ctx, wallet)) return recordRead(ctx, wallet.id, { isActive: true })
  const seen = await look(ctx, wallet)
  if (wallet.kind === 'imported') await checkPlainKey(ctx, wallet)
  else if (seen.state === null) await readSession(ctx, wallet)
  const idle = idleOf(ctx, wallet.id)
  const isChanged = seen.text !== idle.state
  const isLogsDue = Math.abs(ctx.now() - idle.logs_read_at) >= logsEveryMs
  const isUnclear = hasMismatch(wallet) || wallet.doubted_block !== null
  if (!isChanged && !isLogsDue && !isUnclear) return recordRead(ctx, wallet.id, { balance: seen.balance })

  if (!(await scanWallet(ctx, wallet.id))) return
  // What the state was at the block up to which logs were read; a later change is found by the next reading.
  const read = await look(ctx, wallet, ctx.store.wallet(wallet.id)!.scanned_block)
  const { state } = read
  if (state) ctx.store.transaction(() => adopt(ctx, wallet, state))
  await endFinal(ctx, wallet)
  recordRead(ctx, wallet.id, { balance: read.balance, state: read.text, isActive: isChanged })
}

type Look = { state: WalletState | null; balance: bigint; text: string }

/** What changes when money moves or the session does. An imported wallet has no state but its balance. */
async function look(ctx: Context, wallet: WalletRow, atBlock?: number): Promise<Look> {
  const chain = ctx.chains[wallet.chain_id]
  if (wallet.kind === 'imported') {
    const balance = await chain.usdcBalance(wallet.address, atBlock)
    return { state: null, balance, text: `${balance}` }
  }
  const state = await chain.walletState(wallet.address, atBlock)
  if (!state) return { state, balance: 0n, text: 'none' }
  const { balance, epoch, remaining, top, ownerNonce } = state
  return { state, balance, text: [balance, epoch, remaining, top, ownerNonce].join() }
}
