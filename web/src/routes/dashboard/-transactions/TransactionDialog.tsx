import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { ShortAddress, TxHash } from '#web/components/Address.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { Button, buttonClass } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { LetItPay } from '#web/components/LetItPay.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { NoteFacts } from '#web/components/Notes.tsx'
import { Notice } from '#web/components/Notice.tsx'
import {
  TransactionAmount,
  TransactionStatusChip,
  TransactionTimeline,
  useCounterpartyName,
} from '#web/components/TransactionParts.tsx'
import { WhitelistContact } from '#web/components/WhitelistContact.tsx'
import { formatMoment } from '#web/lib/format.ts'
import { networkName } from '#web/lib/networks.ts'
import { contactNameQuery } from '#web/queries/contacts.ts'
import { useMay } from '#web/queries/people.ts'
import {
  awaitsApproval,
  categoryLabel,
  collectedDeposit,
  isFinal,
  payoutState,
  purchaseState,
  refreshTransactions,
  senderOf,
  type Transaction,
  transactionQuery,
} from '#web/queries/transactions.ts'
import { walletName } from '#web/queries/wallets.ts'
import { other } from '../../-shell/pages.ts'
import { ruleOf } from '../-agents/ruleNames.ts'
import { contactMethodOf, DetailsDialog } from '../-contacts/AddMethod.tsx'

const ReclaimPayout = lazy(async () => ({ default: (await import('../-payouts/ReclaimDialog.tsx')).ReclaimPayout }))

/** All details of one transaction; polled until it is final. */
export default function TransactionDialog(props: {
  transactionId: string
  /** The transaction from the list, if it is on the current page. */
  known: Transaction | undefined
  onClose: () => void
}) {
  const { known } = props
  const fetched = useQuery({ ...transactionQuery(props.transactionId), enabled: !known || !isFinal(known) })
  const transaction = fetched.data ?? known
  const method = transaction?.contactId === null ? contactMethodOf(transaction) : null
  const named = useQuery(contactNameQuery(method && Object.values(method)[0]))
  const stranger = named.data === null ? method : null
  const mayDecide = useMay('approvals.approve')
  const [reclaiming, setReclaiming] = useState(false)
  if (reclaiming && transaction?.payoutId)
    return (
      <Suspense>
        <ReclaimPayout
          payoutId={transaction.payoutId}
          onClose={() => {
            setReclaiming(false)
            refreshTransactions()
          }}
        />
      </Suspense>
    )
  return (
    <DetailsDialog
      title="Transaction details"
      details={transaction && ((addContact) => <Details transaction={transaction} addContact={addContact} />)}
      query={fetched}
      stranger={stranger}
      actions={
        <>
          {transaction && awaitsApproval(transaction) && (
            <Link
              to="/dashboard/approvals/$approvalId"
              params={{ approvalId: transaction.approvalId! }}
              className={buttonClass()}
            >
              {mayDecide ? 'Decide' : 'View request'}
            </Link>
          )}
          {transaction?.payoutId && (
            <Link
              to="/dashboard/payouts"
              search={{ detail: transaction.payoutId }}
              className={buttonClass('secondary')}
            >
              View payout
            </Link>
          )}
          {transaction?.payoutId && payoutState(transaction) === 'Awaiting Claim' && (
            <May call="reclaim">
              <Button onClick={() => setReclaiming(true)}>Reclaim Funds</Button>
            </May>
          )}
        </>
      }
      onClose={props.onClose}
    />
  )
}

/** The rule that refused the payment, and the figures of its decision. */
function Refusal(props: { transaction: Transaction; refusal: NonNullable<Transaction['refusal']> }) {
  const { policyGroupId, contactId, fromWalletChain: chain } = props.transaction
  const { rule, next, policyVersion, count, ...figures } = props.refusal
  const rows = [
    ['Limit', figures.limit],
    ['Spent', figures.spent],
    ['Held', figures.held],
    ['Remaining', figures.remaining],
    ['Most allowed at the time', figures.maxAllowedNow],
  ] as const
  return (
    <div>
      <p>{next}</p>
      <LetItPay rule={rule} groupId={policyGroupId} amount={props.transaction.amountUsdc} />
      <WhitelistContact rule={rule} groupId={policyGroupId} contactId={contactId} />
      <dl className="mt-1 divide-y divide-hairline">
        <Fact name="Rule">
          {policyGroupId ? (
            <Link to="/dashboard/agents" search={{ group: policyGroupId }} className={linkClass}>
              {ruleOf(rule).name}
            </Link>
          ) : (
            <span>{ruleOf(rule).name}</span>
          )}
          {count && <span>{` (${count.used} of ${count.limit} used)`}</span>}
          {policyVersion !== null && <span className="text-muted text-small"> (policy version {policyVersion})</span>}
        </Fact>
        {rows.map(
          ([name, value]) =>
            value !== null && (
              <Fact key={name} name={name}>
                <Amount value={value} chain={chain} />
              </Fact>
            ),
        )}
      </dl>
    </div>
  )
}

function Recipient(props: { transaction: Transaction; addContact: ReactNode }) {
  const { category, recipientEmail, recipientPhone, toAddress, fromAddress, fromWalletChain, resource, served } =
    props.transaction
  const known = useCounterpartyName(props.transaction)
  const person = known ?? recipientEmail ?? recipientPhone
  const address = toAddress && <ShortAddress address={toAddress} chain={fromWalletChain} />
  if (category === 'deposit')
    return (
      <Fact name="From">
        {collectedDeposit(props.transaction) ??
          (fromAddress && (
            <>
              {known}
              <span className="block">
                <ShortAddress address={fromAddress} chain={fromWalletChain} />
              </span>
            </>
          ))}
      </Fact>
    )
  if (resource !== null)
    return (
      <>
        <Fact name="Bought">
          <span translate="no" className="wrap-anywhere font-mono text-small">
            {resource}
          </span>
        </Fact>
        <Fact name="Paid to">{address}</Fact>
        {served !== null && <Fact name="Resource">{served ? 'Delivered' : 'Not delivered'}</Fact>}
      </>
    )
  // A reclaim goes to the wallet that paid, not to the recipient.
  if (category === 'payout_reclaim')
    return (
      <>
        <Fact name="Original recipient">
          {person}
          {props.addContact}
        </Fact>
        <Fact name="Returned to">{address}</Fact>
      </>
    )
  return (
    <Fact name="Recipient">
      {person}
      {address && <span className="block">{address}</span>}
      {props.addContact}
    </Fact>
  )
}

/** What may still happen to a purchase that has not ended. */
function PurchaseNotice({ transaction }: { transaction: Transaction }) {
  const { validBefore } = transaction
  return (
    <Notice tone="info">
      {purchaseState(transaction) === 'Handed out'
        ? `The agent has the signed payment. The seller can take it until ${formatMoment(validBefore ?? transaction.createdAt)}; if it does not, the amount is released after that.`
        : 'It is approved, and its amount is held for 15 minutes. It is signed when the agent asks for it again.'}
    </Notice>
  )
}

function Details(props: { transaction: Transaction; addContact: ReactNode }) {
  const { transaction } = props
  const payout = payoutState(transaction)
  const chain = transaction.fromWalletChain
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <TransactionAmount transaction={transaction} className="font-semibold text-title" />
        <span className="flex flex-wrap gap-1.5">
          {payout && payout !== 'Awaiting Claim' && (
            <Chip tone="neutral" plain>
              {payout}
            </Chip>
          )}
          <TransactionStatusChip transaction={transaction} inWords />
        </span>
      </div>
      {transaction.errorMessage && <ErrorBox>{transaction.errorMessage}</ErrorBox>}
      {transaction.refusal && <Refusal transaction={transaction} refusal={transaction.refusal} />}
      {purchaseState(transaction) && <PurchaseNotice transaction={transaction} />}
      <TransactionTimeline transaction={transaction} />
      <dl className="divide-y divide-hairline border-hairline border-t pt-1">
        <Fact name="Type">{categoryLabel(transaction)}</Fact>
        {transaction.category !== 'deposit' && <Fact name="Sender">{senderOf(transaction)}</Fact>}
        <Recipient transaction={transaction} addContact={props.addContact} />
        {transaction.fromWallet && (
          <Fact name={transaction.category === 'deposit' ? 'To wallet' : 'From wallet'}>
            {walletName(transaction.fromWallet)}
          </Fact>
        )}
        <Fact name="Network">{networkName(chain)}</Fact>
        <Fact name="Date">{formatMoment(transaction.createdAt)}</Fact>
        <NoteFacts of={transaction} />
        {transaction.runId && (
          <Fact name="Payout run">
            <Link to={other(`runs/${transaction.runId}`)} className={linkClass}>
              View the run
            </Link>
          </Fact>
        )}
        {transaction.txHash && (
          <Fact name="Transaction hash">
            <TxHash hash={transaction.txHash} chain={chain} />
          </Fact>
        )}
        <Fact name="ID">
          <span className="inline-flex items-center gap-0.5">
            <span translate="no" className="font-mono text-small max-sm:w-56 max-sm:truncate" title={transaction.id}>
              {transaction.id}
            </span>
            <CopyButton text={transaction.id} what="ID" />
          </span>
        </Fact>
      </dl>
    </div>
  )
}
