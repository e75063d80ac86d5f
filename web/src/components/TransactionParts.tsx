import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { resourceLine, shortAddress } from '../lib/format.ts'
import { networkName } from '../lib/networks.ts'
import { categories } from '../queries/categories.ts'
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
import { Chip, Tick } from './Chip.tsx'
import { useContactName } from './ContactName.tsx'
import { MaybeEmail } from './MaybeEmail.tsx'
import { Timeline, type TimelineStep } from './Timeline.tsx'

/** A chip, or a tick for what is completed. `inWords` shows the tick's word. */
export function TransactionStatusChip(props: { transaction: Transaction; inWords?: boolean }) {
  const { label, tone } = displayStatus(props.transaction.status)
  const payout = payoutState(props.transaction)
  if (payout === 'Awaiting Claim') return <Chip tone="waiting">{payout}</Chip>
  if (label === 'Completed') return <Tick {...(props.inWords && { inWords: true })}>{label}</Tick>
  // A payout reclaimed by its sender is not a failure.
  return <Chip tone={payout === 'Funds Reclaimed' ? 'neutral' : tone}>{label}</Chip>
}

function colorOf({ sign, word }: Movement): string {
  if (word === 'Held' || word === 'Awaiting Claim') return 'text-amber'
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
export function TransactionStatus(props: { transaction: Transaction; note: ReactNode }) {
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
  const { done, movement, isPurchase } = categories[category]
  const last = { label: `${done} on ${network}`, at: confirmedAt }
  // What is no payment is recorded only once it has happened, so it has one step.
  if (movement) return [last]
  if (awaitsApproval(transaction)) return [{ label: 'Waits for your approval', at: null }]
  const ending =
    payoutState(transaction) !== null ? undefined : isPurchase && status === 'FAILED' ? 'Not settled' : endings[status]
  const signed = isPurchase ? 'Handed out' : 'Signed'
  // The seller sends it to the network, not Bursar.
  if (ending === undefined && isPurchase)
    return [{ label: 'Accepted', at: decidedAt }, { label: signed, at: signedAt }, last]
  if (ending === undefined)
    return [
      { label: 'Accepted', at: decidedAt },
      { label: signed, at: signedAt },
      { label: 'Sent to the network', at: broadcastAt },
      last,
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

/**
 * The other side's name: of the contact that was chosen for the payment, as it was called then, or is meant by its address, email
 * or phone number. A payment that was refused before it had these has the contact's id. Null if it has no name.
 */
export function useCounterpartyName(transaction: Transaction | undefined): string | null {
  const { contact = null, contactId = null, resource = null } = transaction ?? {}
  const value = transaction ? (counterpartyOf(transaction) ?? contactId) : null
  const known = useContactName(contact || resource ? null : value)
  return contact?.name ?? (transaction ? collectedDeposit(transaction) : null) ?? known
}

/** What names the other side without asking for the names of contacts, such as in a label; null if nothing does. */
export function counterpartyText(transaction: Transaction): string | null {
  const { contact, resource, toWallet, category } = transaction
  const value = counterpartyOf(transaction)
  const own = category !== 'deposit' && toWallet ? walletName(toWallet) : null
  return (
    contact?.name ??
    collectedDeposit(transaction) ??
    (resource ? resourceLine(resource) : null) ??
    own ??
    (value?.startsWith('0x') ? shortAddress(value) : value)
  )
}

/** The other side of a transaction, in one line: the recipient, or the sender of a deposit. */
export function Counterparty(props: { transaction: Transaction }) {
  const { category, contactId, recipientEmail, recipientPhone, toWallet, resource } = props.transaction
  const value = counterpartyOf(props.transaction)
  const own = category !== 'deposit' && toWallet ? walletName(toWallet) : null
  const name = useCounterpartyName(props.transaction) ?? recipientEmail ?? recipientPhone ?? own
  if (resource)
    return (
      <span className="wrap-anywhere" title={resource}>
        {resourceLine(resource)}
      </span>
    )
  if (name)
    return (
      <span className="wrap-anywhere" title={value ?? undefined}>
        <MaybeEmail text={name} />
      </span>
    )
  if (!value) return <span className="text-muted">{contactId ? 'A contact that was deleted' : 'Not specified'}</span>
  return (
    <span translate="no" className="font-mono" title={value}>
      {shortAddress(value)}
    </span>
  )
}
