import type { BudgetRequest, Payment, PaymentCheck, PaymentContext, PayoutRun } from '../types.ts'

/** Texts of others must not move the cursor or change colors of the terminal. */
export const plain = (text: string) => text.replace(/\p{C}/gu, ' ')

/** Rows of cells as columns of equal width, two spaces apart. */
function columns(rows: string[][]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const lineOf = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}

const recipientOf = ({ to }: Payment) => to.address ?? to.email ?? to.phone ?? to.contactId ?? ''
/** Null is no limit in total: rules may leave less (`Allowed now`). */
const usdc = (amount: string | null) => (amount === null ? 'no limit in total' : `${amount} USDC`)

export function budgetTable({ agent, policy_group, budget, rules, ...now }: PaymentContext): string {
  const figures = columns([
    ['Agent', `${plain(agent.name)}, in ${plain(policy_group.name)}`],
    ['Limit', usdc(budget.limit)],
    ['Spent', usdc(budget.spent)],
    ['Held', usdc(budget.held)],
    ['Remaining', usdc(budget.remaining)],
    ['Allowed now', usdc(now.max_allowed_now)],
    ['Without asking', usdc(now.max_without_asking)],
  ])
  return [figures, ...rules.map(({ sentence }) => `- ${plain(sentence)}`)].join('\n')
}

export function checkTable({
  allowed,
  refusal,
  approval_required,
  approval_rules,
  max_allowed_now,
  warnings,
}: PaymentCheck): string {
  if (!allowed) return [`Refused: ${plain(refusal?.detail ?? '')}`, refusal?.next ?? ''].join('\n').trimEnd()
  const verdict = approval_required
    ? `The owner would be asked, because of ${approval_rules.join(', ')}.`
    : `Allowed. At most ${max_allowed_now} USDC now.`
  return [verdict, ...warnings.map(({ detail }) => `Warning: ${plain(detail)}`)].join('\n')
}

export function paymentsTable(payments: Payment[]): string {
  if (payments.length === 0) return 'No payments.'
  const rows = payments.map((payment) => [
    payment.created_at.slice(0, 16).replace('T', ' '),
    payment.status,
    payment.amount,
    plain(recipientOf(payment)),
    plain(payment.reference ?? payment.memo ?? ''),
    payment.id,
  ])
  return columns([['Time (UTC)', 'Status', 'USDC', 'To', 'Note', 'Id'], ...rows])
}

export function paymentTable(payment: Payment): string {
  const { id, status, amount, tx_hash, error, approval, budget } = payment
  const rows = [
    [id, status],
    ['Amount', usdc(amount)],
    ['To', plain(recipientOf(payment))],
    ...(tx_hash ? [['Transaction', tx_hash]] : []),
    ...(error ? [['Reason', plain(error.message)]] : []),
    ...(approval?.status === 'PENDING' ? [['Approve at', approval.url]] : []),
    ['Remaining', usdc(budget.remaining)],
  ]
  return columns(rows)
}

export const requestTable = ({ id, status, amount, approval }: BudgetRequest): string =>
  columns([
    [id, status],
    ['Amount', usdc(amount)],
    ...(approval.status === 'PENDING' ? [['Approve at', approval.url]] : []),
  ])

export function runTable({ id, status, summary, verdicts, next, url }: PayoutRun): string {
  const rows = verdicts.map(({ line, level, to, detail }) => [`Line ${line}`, level, plain(to), plain(detail)])
  return [
    `${id}  ${status}`,
    ...(summary ? [plain(summary)] : []),
    ...(rows.length > 0 ? [columns(rows)] : []),
    ...(next ? [next] : []),
    `Decide at ${url}`,
  ].join('\n')
}
