import { useQuery } from '@tanstack/react-query'
import { ShortAddress, TxHash } from '../../../components/Address.tsx'
import { Amount } from '../../../components/Amount.tsx'
import { Button } from '../../../components/Button.tsx'
import { Fact } from '../../../components/Card.tsx'
import { Chip } from '../../../components/Chip.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox } from '../../../components/Field.tsx'
import { TransactionStatusChip } from '../../../components/StatusChip.tsx'
import { ErrorState, Skeleton } from '../../../components/states.tsx'
import { TransactionTimeline } from '../../../components/TransactionTimeline.tsx'
import { formatMoment } from '../../../lib/format.ts'
import {
  categoryLabel,
  isFinal,
  payoutState,
  senderOf,
  type Transaction,
  transactionQuery,
} from '../../../queries/transactions.ts'
import { walletName } from '../../../queries/wallets.ts'
import { ruleOf } from '../-agents/rules.ts'

export default function TransactionDialog(props: {
  transactionId: string
  /** The row of the list, if it is on the page. */
  known: Transaction | undefined
  onAddContact: (transaction: Transaction) => void
  onReclaim: (escrowId: string) => void
  onClose: () => void
}) {
  const { known } = props
  const followed = useQuery({ ...transactionQuery(props.transactionId), enabled: !known || !isFinal(known) })
  const transaction = followed.data ?? known
  const { error, refetch } = followed
  return (
    <Dialog
      title="Transaction details"
      onClose={props.onClose}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          {transaction && isStranger(transaction) && (
            <Button look="secondary" onClick={() => props.onAddContact(transaction)}>
              Add as Contact
            </Button>
          )}
          {transaction?.escrowId && payoutState(transaction) === 'Awaiting Claim' && (
            <Button onClick={() => props.onReclaim(transaction.escrowId!)}>Reclaim Funds</Button>
          )}
        </>
      }
    >
      {transaction ? (
        <Details transaction={transaction} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <Skeleton className="h-80" />
      )}
    </Dialog>
  )
}

/** Paid by hand or by an agent, but not known by name yet. */
const isStranger = ({ category, contactId, toAddress, recipientEmail }: Transaction) =>
  contactId === null && (category === 'address' ? toAddress !== null : category === 'escrow' && recipientEmail !== null)

/** The rule that refused, and what it was decided on. */
function Refusal(props: { refusal: NonNullable<Transaction['refusal']> }) {
  const { rule, next, policyVersion, ...figures } = props.refusal
  const rows = [
    ['Limit', figures.limit],
    ['Spent', figures.spent],
    ['Held', figures.held],
    ['Remaining', figures.remaining],
    ['Most allowed then', figures.maxAllowedNow],
  ] as const
  return (
    <div>
      <p>{next}</p>
      <dl className="mt-1 divide-y divide-hairline">
        <Fact name="Rule">
          {ruleOf(rule).name}
          {policyVersion !== null && <span className="text-muted text-small"> (policy version {policyVersion})</span>}
        </Fact>
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <Fact key={name} name={name}>
                <Amount value={value} />
              </Fact>
            ),
        )}
      </dl>
    </div>
  )
}

function Recipient(props: { transaction: Transaction }) {
  const { category, contact, recipientEmail, recipientPhone, toAddress, fromWalletChain } = props.transaction
  const person = contact?.name ?? recipientEmail ?? recipientPhone
  const address = toAddress && <ShortAddress address={toAddress} chain={fromWalletChain} />
  // What came back went to the wallet that had paid, not to the one it was meant for.
  if (category === 'escrow_reclaim')
    return (
      <>
        <Fact name="Was for">{person}</Fact>
        <Fact name="Returned to">{address}</Fact>
      </>
    )
  return (
    <Fact name="Recipient">
      {person}
      {address && <span className="block">{address}</span>}
    </Fact>
  )
}

function Details(props: { transaction: Transaction }) {
  const { transaction } = props
  const payout = payoutState(transaction)
  const chain = transaction.fromWalletChain
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Amount value={transaction.amountUsdc} className="font-semibold text-title" />
        <span className="flex flex-wrap gap-1.5">
          {payout && (
            <Chip tone="neutral" plain>
              {payout}
            </Chip>
          )}
          <TransactionStatusChip transaction={transaction} />
        </span>
      </div>
      {transaction.errorMessage && <ErrorBox>{transaction.errorMessage}</ErrorBox>}
      {transaction.refusal && <Refusal refusal={transaction.refusal} />}
      <TransactionTimeline transaction={transaction} />
      <dl className="divide-y divide-hairline border-hairline border-t pt-1">
        <Fact name="Type">{categoryLabel(transaction)}</Fact>
        <Fact name="Sender">{senderOf(transaction)}</Fact>
        <Recipient transaction={transaction} />
        {transaction.fromWallet && <Fact name="From wallet">{walletName(transaction.fromWallet)}</Fact>}
        <Fact name="Network">{chain === 'base' ? 'Base' : 'Base Sepolia'}</Fact>
        <Fact name="Date">{formatMoment(transaction.createdAt)}</Fact>
        {transaction.memo && <Fact name="Memo">{transaction.memo}</Fact>}
        {transaction.txHash && (
          <Fact name="Transaction hash">
            <TxHash hash={transaction.txHash} chain={chain} />
          </Fact>
        )}
        <Fact name="ID">
          <span className="inline-flex items-center gap-0.5">
            <span className="font-mono text-small max-sm:w-56 max-sm:truncate" title={transaction.id}>
              {transaction.id}
            </span>
            <CopyButton text={transaction.id} what="ID" />
          </span>
        </Fact>
      </dl>
    </div>
  )
}
