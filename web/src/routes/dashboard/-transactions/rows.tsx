import { type ReactNode, Suspense } from 'react'
import { CompactRow, DetailsLink } from '#web/components/DataTable.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { RowTime } from '#web/components/Time.tsx'
import {
  Counterparty,
  counterpartyText,
  TransactionAmount,
  TransactionStatus,
  TransactionStatusChip,
} from '#web/components/TransactionParts.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { optional } from '#web/lib/optional.ts'
import type { ShownRows } from '#web/lists/PagedCard.tsx'
import {
  categoryLabel,
  hasOneSender,
  isCompleted,
  movementOf,
  noteOf,
  payoutState,
  senderOf,
  type Transaction,
} from '#web/queries/transactions.ts'
import { walletName } from '#web/queries/wallets.ts'

// The rules are loaded once a refused payment is listed.
const RuleName = optional(() => import('../-agents/RuleName.tsx'))

/** What to say besides the status. A refused payment is named by its rule. */
const remarkOf = (transaction: Transaction): ReactNode =>
  noteOf(transaction) ??
  (transaction.refusal && (
    <Suspense key="rule" fallback={'\u00a0'}>
      <RuleName rule={transaction.refusal.rule} />
    </Suspense>
  ))

/** Where the money went, unless sign and status say it. */
function placeOf(transaction: Transaction): string | null {
  const { word } = movementOf(transaction)
  return word === 'Paid' || word === 'Awaiting Claim' ? null : word
}

/** The remark, unless the chip says it. */
const noteBesideChip = (transaction: Transaction): ReactNode =>
  payoutState(transaction) === 'Awaiting Claim' ? null : remarkOf(transaction)

const isDeposit = ({ category }: Transaction) => category === 'deposit'
const walletOf = ({ fromWallet }: Transaction) => walletName(fromWallet ?? { name: null })

const ownSideOf = (transaction: Transaction) => (isDeposit(transaction) ? walletOf(transaction) : senderOf(transaction))

const Sender = ({ transaction }: { transaction: Transaction }) =>
  isDeposit(transaction) ? (
    <Counterparty transaction={transaction} />
  ) : (
    <span className="wrap-anywhere">{senderOf(transaction)}</span>
  )

/** A deposit's recipient is the wallet. */
const Recipient = ({ transaction }: { transaction: Transaction }) =>
  isDeposit(transaction) ? (
    <span className="wrap-anywhere">{walletOf(transaction)}</span>
  ) : (
    <Counterparty transaction={transaction} />
  )

/** With the other side, so that the links of different rows can be told apart. */
function labelOf(transaction: Transaction): string {
  const amount = `${formatAmount(transaction.amountUsdc)} ${unitOf(transaction.fromWalletChain)}`
  const other = counterpartyText(transaction)
  const side = other === null ? '' : ` ${isDeposit(transaction) ? 'from' : 'to'} ${other}`
  return `View details of ${categoryLabel(transaction)}, ${amount}${side}`
}

const amountOf = (transaction: Transaction) => (
  <>
    <TransactionAmount transaction={transaction} />
    <p className="text-muted empty:hidden">{placeOf(transaction)}</p>
  </>
)

/** `hrefOf` returns the link to a transaction's details. */
export const rowsWith = (hrefOf: (transactionId: string) => string): ShownRows<Transaction> => ({
  columns: [
    {
      header: 'Date',
      sorts: { falling: 'newest', rising: 'oldest' },
      cell: (transaction) => <RowTime iso={transaction.createdAt} />,
    },
    {
      header: 'Type',
      cell: (transaction) => (
        <>
          {categoryLabel(transaction)}
          <p className="wrap-anywhere text-muted lg:hidden">
            {isDeposit(transaction) ? hasOneSender(transaction) && <span>from </span> : <span>by </span>}
            <Sender transaction={transaction} />
          </p>
        </>
      ),
    },
    {
      header: 'Sender',
      wideOnly: true,
      cell: (transaction) => <Sender transaction={transaction} />,
    },
    {
      header: 'Recipient',
      cell: (transaction) => (
        <>
          <Recipient transaction={transaction} />
          <p className="line-clamp-1 max-w-64 wrap-anywhere text-muted empty:hidden">{notesLine(transaction)}</p>
        </>
      ),
    },
    { header: 'Amount', align: 'right', sorts: { falling: 'largest', rising: 'smallest' }, cell: amountOf },
    {
      header: 'Status',
      cell: (transaction) => <TransactionStatus transaction={transaction} note={noteBesideChip(transaction)} />,
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
      title={
        <>
          {hasOneSender(transaction) && <span>From </span>}
          <Counterparty transaction={transaction} />
        </>
      }
      amount={<TransactionAmount transaction={transaction} />}
      notes={[
        notesLine(transaction) ?? ownSideOf(transaction),
        placeOf(transaction),
        noteBesideChip(transaction),
        notesLine(transaction) && ownSideOf(transaction),
      ]}
      time={<RowTime iso={transaction.createdAt} />}
      isDone={isCompleted(transaction)}
      state={<TransactionStatusChip transaction={transaction} />}
    />
  ),
})
