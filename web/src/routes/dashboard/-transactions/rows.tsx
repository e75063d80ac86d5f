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
  categoryLabel,
  hasOneSender,
  movementOf,
  noteOf,
  senderOf,
  type Transaction,
} from '#web/queries/transactions.ts'
import { walletName } from '#web/queries/wallets.ts'
import { ruleOf } from '../-agents/ruleNames.ts'

/** What to say besides the status. A refused payment is named by its rule. */
const remarkOf = (transaction: Transaction): string | null =>
  noteOf(transaction) ?? (transaction.refusal && ruleOf(transaction.refusal.rule).name)

const isDeposit = ({ category }: Transaction) => category === 'deposit'
const walletOf = ({ fromWallet }: Transaction) => walletName(fromWallet ?? { name: null })

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
          <p className="wrap-anywhere text-muted lg:hidden">
            {isDeposit(transaction) ? hasOneSender(transaction) && 'from ' : 'by '}
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
      cell: (transaction) => <TransactionStatus transaction={transaction} note={remarkOf(transaction)} />,
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
          {hasOneSender(transaction) && 'From '}
          <Counterparty transaction={transaction} />
        </>
      }
      amount={<TransactionAmount transaction={transaction} />}
      notes={[
        <Ago key="at" iso={transaction.createdAt} />,
        movementOf(transaction).word,
        remarkOf(transaction),
        isDeposit(transaction) ? walletOf(transaction) : senderOf(transaction),
        notesLine(transaction),
      ]}
      state={<TransactionStatusChip transaction={transaction} />}
    />
  ),
})
