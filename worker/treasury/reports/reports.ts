export { budgetHistory } from './budgetHistory.ts'
export { overview } from './overview.ts'
export { spendingOf } from './spending.ts'
export { usageOf } from './usage.ts'
