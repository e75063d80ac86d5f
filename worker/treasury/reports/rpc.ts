import { RpcTarget } from 'cloudflare:workers'
import type { Context } from '../core/context.ts'
import { verifyAudit } from '../ledger/audit.ts'
import { budgetHistory } from './budgetHistory.ts'
import { overview } from './overview.ts'
import type { BudgetHistoryInput, SpendingInput } from './rpcTypes.ts'
import { spendingOf } from './spending.ts'
import { usageOf } from './usage.ts'
import { currentLedger } from './walletLedger.ts'

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
  async usage() {
    return usageOf(this.#ctx)
  }
  async spending(input: SpendingInput) {
    return spendingOf(this.#ctx, input)
  }
  async budgetHistory(groupId: string, input: BudgetHistoryInput) {
    return budgetHistory(this.#ctx, groupId, input)
  }
  /** The wallet's ledger next to its on-chain balance, after a fresh reading of the chain. */
  async walletLedger(walletId: string) {
    return currentLedger(this.#ctx, walletId)
  }
  async auditCheck() {
    return verifyAudit(this.#ctx.store)
  }
}
