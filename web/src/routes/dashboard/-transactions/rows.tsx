import { CompactRow, DetailsLink } from '#web/components/DataTable.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { Ago, Time } from '#web/components/Time.tsx'
import {
  Counterparty,
  TransactionAmount,
  TransactionStatus,
  TransactionStatusChip,
} from '#web/components/TransactionParts.tsx'
import { unitOf } from '#web/lib/networks.ts'
import type { ShownRows } from '#web/lists/PagedCard.tsx'
import {
  awaitsApproval,
  categoryLabel,
  movementOf,
  payoutState,
  senderOf,
  type Transaction,
} from '#web/queries/transactions.ts'
import { ruleOf } from '../-agents/ruleNames.ts'

/** The rule that refused the payment, or the reason it failed; null otherwise. */
const reasonOf = ({ refusal, errorMessage }: Transaction): string | null =>
  refusal ? ruleOf(refusal.rule).name : errorMessage

/** What to say besides the status: what the transaction waits for, the state of its payout, or why it failed. */
export const noteOf = (transaction: Transaction): string | null =>
  awaitsApproval(transaction) ? 'Awaiting approval' : (payoutState(transaction) ?? reasonOf(transaction))

const labelOf = (transaction: Transaction) =>
  `View details of ${categoryLabel(transaction)}, ${transaction.amountUsdc} ${unitOf(transaction.fromWalletChain)}`

const amountOf = (transaction: Transaction) => (
  <>
    <TransactionAmount transaction={transaction} />
    <p className="text-muted empty:hidden">{movementOf(transaction).word}</p>
  </>
)

/** `hrefOf` returns the link to a transaction's details. */
export const rowsWith = (hrefOf: (transactionId: string) => string): ShownRows<Transaction> => ({
  columns: [
    {
      header: 'Date',
      sorts: { falling: 'newest', rising: 'oldest' },
      cell: (transaction) => <Time iso={transaction.createdAt} />,
    },
    {
      header: 'Type',
      cell: (transaction) => (
        <>
          {categoryLabel(transaction)}
          <p className="wrap-anywhere text-muted lg:hidden">by {senderOf(transaction)}</p>
        </>
      ),
    },
    {
      header: 'Sender',
      wideOnly: true,
      cell: (transaction) => <span className="wrap-anywhere">{senderOf(transaction)}</span>,
    },
    {
      header: 'Recipient',
      cell: (transaction) => (
        <>
          <Counterparty transaction={transaction} />
          <p className="line-clamp-1 max-w-64 wrap-anywhere text-muted empty:hidden">{notesLine(transaction)}</p>
        </>
      ),
    },
    { header: 'Amount', align: 'right', sorts: { falling: 'largest', rising: 'smallest' }, cell: amountOf },
    {
      header: 'Status',
      cell: (transaction) => <TransactionStatus transaction={transaction} note={noteOf(transaction)} />,
    },
    {
      header: 'Actions',
      align: 'right',
      cell: (transaction) => <DetailsLink href={hrefOf(transaction.id)} label={labelOf(transaction)} />,
    },
  ],
  compact: (transaction) => (
    <CompactRow
      href={hrefOf(transaction.id)}
      label={labelOf(transaction)}
      title={<Counterparty transaction={transaction} />}
      amount={<TransactionAmount transaction={transaction} />}
      notes={[
        <Ago key="at" iso={transaction.createdAt} />,
        movementOf(transaction).word,
        noteOf(transaction),
        senderOf(transaction),
        notesLine(transaction),
      ]}
      state={<TransactionStatusChip transaction={transaction} />}
    />
  ),
})
