import { RpcTarget } from 'cloudflare:workers'
import { formatUsdc } from '#domain/money.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import { notFound, ok, type Result } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import { verifyAudit } from '../ledger/audit.ts'
import { availableOf, escrowedOf, spentOf } from '../ledger/balances.ts'
import { balanceOf, forgetSnapshot } from '../wallets/snapshots.ts'
import { budgetHistory } from './budgetHistory.ts'
import { currentBalance, overview } from './overview.ts'
import type { BudgetHistoryInput, SpendingInput } from './rpcTypes.ts'
import { spendingOf } from './spending.ts'
import { usageOf } from './usage.ts'

/** Figures of the account. */
export class Reports extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  async overview() {
    return overview(this.#ctx)
  }
  async balance() {
    return currentBalance(this.#ctx)
  }
  async usage() {
    return usageOf(this.#ctx)
  }
  async spending(input: SpendingInput) {
    return spendingOf(this.#ctx, input)
  }
  /** Of all of them that are the account's, deleted ones included. */
  async agentNames(ids: string[]): Promise<{ id: string; name: string; isDeleted: boolean }[]> {
    return this.#ctx.store
      .all<{ id: string; name: string; deleted: number }>(
        'SELECT id, name, deleted_at IS NOT NULL AS deleted FROM agent WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      )
      .map(({ deleted, ...agent }) => ({ ...agent, isDeleted: deleted === 1 }))
  }
  async budgetHistory(groupId: string, input: BudgetHistoryInput) {
    return budgetHistory(this.#ctx, groupId, input)
  }
  /** The wallet's ledger next to its on-chain balance, after a fresh reading of the chain. */
  async walletLedger(walletId: string): Promise<Result<WalletLedger>> {
    const { store } = this.#ctx
    const known = store.liveWallet(walletId)
    if (!known) return notFound('Wallet')
    await this.#ctx.chainReads.refresh(known)
    forgetSnapshot(this.#ctx, walletId)
    const balance = await balanceOf(this.#ctx, known)
    const wallet = store.wallet(walletId)!
    return ok({
      walletId: wallet.id,
      address: wallet.address,
      deposits: formatColumn(wallet.deposits),
      returns: formatColumn(wallet.returns),
      out: formatColumn(wallet.out),
      withdrawn: formatColumn(wallet.withdrawn),
      held: formatColumn(wallet.held),
      available: formatUsdc(availableOf(wallet)),
      escrowed: formatUsdc(escrowedOf(store, wallet.id)),
      spent: formatUsdc(spentOf(store, wallet.id)),
      chainBalance: balance === null ? null : formatUsdc(balance),
      scannedBlock: wallet.scanned_block,
    })
  }
  async auditCheck() {
    return verifyAudit(this.#ctx.store)
  }
}
