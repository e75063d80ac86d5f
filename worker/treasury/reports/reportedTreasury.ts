import type { BudgetHistoryInput, SpendingInput } from '../api.ts'
import { WebhookedTreasury } from '../webhooks/webhookedTreasury.ts'
import { budgetHistory } from './budgetHistory.ts'
import { overview } from './overview.ts'
import { spendingOf } from './spending.ts'
import { usageOf } from './usage.ts'

/** RPC calls of the overview and usage pages. treasury.ts adds those that change something. */
export abstract class ReportedTreasury extends WebhookedTreasury {
  async overview() {
    return overview(this.context)
  }
  async usage() {
    return usageOf(this.context)
  }
  async spending(input: SpendingInput) {
    return spendingOf(this.context, input)
  }
  async budgetHistory(groupId: string, input: BudgetHistoryInput) {
    return budgetHistory(this.context, groupId, input)
  }
}
