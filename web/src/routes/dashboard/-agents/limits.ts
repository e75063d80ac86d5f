import { formatAmount, formatMoment } from '../../../lib/format.ts'
import type { PolicyGroup } from '../../../queries/policyGroups.ts'

/** The limits besides the budget, a sentence each. */
export function limitsInWords(group: PolicyGroup): string[] {
  const { maxPayment, periodBudget: budget, maxUnclaimed, unclaimed, emailDomains, phoneCodes } = group
  const words: (string | false | null)[] = [
    maxPayment !== null && `At most $${formatAmount(maxPayment)} per payment.`,
    budget &&
      `At most $${formatAmount(budget.limit)} a ${budget.period}; $${formatAmount(budget.remaining)} is left until ${formatMoment(budget.resetsAt)}.`,
    maxUnclaimed !== null &&
      `At most $${formatAmount(maxUnclaimed)} in unclaimed payouts; $${formatAmount(unclaimed)} is unclaimed now.`,
    emailDomains && `Payouts by email only to ${emailDomains.join(', ')}.`,
    phoneCodes && `Payouts by SMS only to numbers with ${phoneCodes.join(', ')}.`,
  ]
  return words.filter((text) => typeof text === 'string')
}
