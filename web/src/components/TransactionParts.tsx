import { clsx } from 'clsx'
import { resourceLine, shortAddress } from '../lib/format.ts'
import { networkName } from '../lib/networks.ts'
import {
  awaitsApproval,
  collectedDeposit,
  displayStatus,
  isFinal,
  type Movement,
  movementOf,
  payoutState,
  type Transaction,
} from '../queries/transactions.ts'
import { walletName } from '../queries/wallets.ts'
import { Amount } from './Amount.tsx'
import { Chip } from './Chip.tsx'
import { useContactName } from './ContactName.tsx'
import { Timeline, type TimelineStep } from './Timeline.tsx'

export function TransactionStatusChip(props: { transaction: Transaction }) {
  const { label, tone } = displayStatus(props.transaction.status)
  // A payout reclaimed by its sender is not a failure.
  return <Chip tone={payoutState(props.transaction) === 'Funds Reclaimed' ? 'neutral' : tone}>{label}</Chip>
}

function colorOf({ sign, word }: Movement): string {
  if (word === 'Held' || word === 'In payout') return 'text-amber'
  return sign === '+' ? 'text-green' : sign === '−' ? 'text-ink' : 'text-muted'
}

/** The amount with a sign and a color for what left and what came back. `movementOf` has the word that goes with it. */
export function TransactionAmount(props: { transaction: Transaction; className?: string }) {
  const { amountUsdc, fromWalletChain } = props.transaction
  const movement = movementOf(props.transaction)
  return (
    <Amount
      value={amountUsdc}
      sign={movement.sign}
      chain={fromWalletChain}
      className={clsx(colorOf(movement), props.className)}
    />
  )
}

/** The status, and below it what else there is to say, such as that a failed payout was reclaimed. */
export function TransactionStatus(props: { transaction: Transaction; note: string | null }) {
  return (
    <>
      <TransactionStatusChip transaction={props.transaction} />
      {props.note && <p className="line-clamp-2 max-w-40 text-muted">{props.note}</p>}
    </>
  )
}

/** Label of the last step of a payment that moved no money. */
const endings: Partial<Record<Transaction['status'], string>> = {
  POLICY_REJECTED: 'Refused',
  VALIDATION_FAILED: 'Refused',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
  FAILED: 'Not sent',
}

/** The progress of a payment. */
export function TransactionTimeline(props: { transaction: Transaction }) {
  const { transaction } = props
  return <Timeline steps={stepsOf(transaction)} live={!isFinal(transaction)} />
}

function stepsOf(transaction: Transaction): TimelineStep[] {
  const { category, status } = transaction
  const network = networkName(transaction.fromWalletChain)
  const { decidedAt, signedAt, broadcastAt, confirmedAt } = transaction.timeline
  // Withdrawals and reclaims of payouts are recorded only once they have happened, so they have one step.
  if (category === 'payout_withdraw') return [{ label: `Withdrawn on ${network}`, at: confirmedAt }]
  if (category === 'deposit') return [{ label: `Arrived on ${network}`, at: confirmedAt }]
  if (category === 'withdrawal') return [{ label: `Left on ${network}`, at: confirmedAt }]
  if (category === 'payout_reclaim') return [{ label: `Returned on ${network}`, at: confirmedAt }]
  if (awaitsApproval(transaction)) return [{ label: 'Waits for your approval', at: null }]
  const isPurchase = category === 'x402'
  const ending =
    payoutState(transaction) !== null ? undefined : isPurchase && status === 'FAILED' ? 'Not settled' : endings[status]
  const signed = isPurchase ? 'Handed out' : 'Signed'
  // The seller sends it to the network, not Bursar.
  if (ending === undefined && isPurchase)
    return [
      { label: 'Accepted', at: decidedAt },
      { label: signed, at: signedAt },
      { label: `Settled on ${network}`, at: confirmedAt },
    ]
  if (ending === undefined)
    return [
      { label: 'Accepted', at: decidedAt },
      { label: signed, at: signedAt },
      { label: 'Sent to the network', at: broadcastAt },
      { label: `${category === 'payout' ? 'Funded' : 'Confirmed'} on ${network}`, at: confirmedAt },
    ]
  return [
    { label: signedAt || broadcastAt ? 'Accepted' : 'Requested', at: decidedAt },
    ...(signedAt ? [{ label: signed, at: signedAt }] : []),
    ...(broadcastAt ? [{ label: 'Sent to the network', at: broadcastAt }] : []),
    // A refusal happens when the payment is decided; the times of other endings are not stored.
    { label: ending, at: ending === 'Refused' ? decidedAt : null, failed: true },
  ]
}

/** What names the other side of a transaction: an address, email or phone number; null if nothing does. */
export const counterpartyOf = ({ category, fromAddress, recipientEmail, recipientPhone, toAddress }: Transaction) =>
  category === 'deposit' ? fromAddress : (recipientEmail ?? recipientPhone ?? toAddress)

/** The other side of a transaction, in one line: the recipient, or the sender of a deposit. */
export function Counterparty(props: { transaction: Transaction }) {
  const { category, contact, recipientEmail, recipientPhone, toWallet, resource } = props.transaction
  const value = counterpartyOf(props.transaction)
  // A contact that was chosen for the payment keeps the name that it had.
  const known = useContactName(contact || resource ? null : value)
  const own = category !== 'deposit' && toWallet ? walletName(toWallet) : null
  const name = contact?.name ?? collectedDeposit(props.transaction) ?? known ?? recipientEmail ?? recipientPhone ?? own
  if (resource)
    return (
      <span className="wrap-anywhere" title={resource}>
        {resourceLine(resource)}
      </span>
    )
  if (name)
    return (
      <span className="wrap-anywhere" title={value ?? undefined}>
        {name}
      </span>
    )
  if (!value) return <span className="text-muted">Not specified</span>
  return (
    <span className="font-mono" title={value}>
      {shortAddress(value)}
    </span>
  )
}
