import { formatAmount, formatMoment } from '#web/lib/format.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'

/** A sentence that says which payments need approval; null if none do. `above` is decimal USDC. */
export function approvalsInWords(
  above: string | null,
  newRecipients: boolean,
  duplicateMinutes: number,
): string | null {
  const kinds = [
    above !== null && `payments above $${formatAmount(above)}`,
    newRecipients && 'first payments to a recipient',
    duplicateMinutes > 0 && `repeats of a payment within ${duplicateMinutes} minutes`,
  ].filter((text) => typeof text === 'string')
  if (kinds.length === 0) return null
  const text = list.format(kinds)
  return `${text[0]!.toUpperCase()}${text.slice(1)} wait for your approval.`
}

const list = new Intl.ListFormat('en-US')

/** The limits other than the budget, one sentence each. */
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
    approvalsInWords(group.approveAbove, group.approveNewRecipient, group.duplicateMinutes),
  ]
  return words.filter((text) => typeof text === 'string')
}
