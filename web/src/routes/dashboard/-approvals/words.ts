import { noteNames, paymentNotes } from '#domain/paymentNotes.ts'
import { minuteMs } from '#domain/time.ts'
import { useContactName } from '#web/components/ContactName.tsx'
import { timesPaid } from '#web/components/RecipientWarnings.tsx'
import { formatAmount, formatMoment, resourceLine, shortAddress } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { Tone } from '#web/lib/tone.ts'
import type { Approval, Channel } from '#web/queries/approvals.ts'

export const stateOf = (approval: Approval): { label: string; tone: Tone } =>
  ({
    PENDING: { label: 'Waiting', tone: 'waiting' },
    APPROVED: { label: 'Approved', tone: 'good' },
    DENIED: { label: 'Denied', tone: 'bad' },
    EXPIRED: { label: 'Expired', tone: 'neutral' },
    CANCELLED: { label: 'Cancelled', tone: 'neutral' },
  })[approval.status] as { label: string; tone: Tone }

/** '25.00 USDC' */
export const amountOf = ({ amount, wallet }: Approval) => `${formatAmount(amount)} ${unitOf(wallet.chain)}`

/** The recipient in one line; for a budget request, the group whose budget would grow. */
export function recipientOf({ recipient, purchase, policyGroup }: Approval): string {
  if (!recipient) return `Budget of ${policyGroup.name}`
  if (purchase) return resourceLine(purchase.resource)
  return recipient.contactName ?? recipient.email ?? recipient.phone ?? shortAddress(recipient.address ?? '')
}

/** The same, with the name of a contact that has been added since. */
export function useRecipient(approval: Approval): string {
  const { contactName, address, email, phone } = approval.recipient ?? {}
  const named = contactName || approval.purchase ? null : (address ?? email ?? phone)
  return useContactName(named) ?? recipientOf(approval)
}

export const titleOf = (approval: Approval) =>
  approval.kind === 'budget'
    ? `${approval.agent.name} asks for more budget`
    : `${approval.agent.name} ${approval.status === 'PENDING' ? 'asks' : 'asked'} to ${approval.purchase ? 'buy' : 'pay'}`

/** '23 h 12 min'; null once the time is up. */
export function timeLeft(untilIso: string, now: number): string | null {
  const minutes = Math.ceil((Date.parse(untilIso) - now) / minuteMs)
  if (minutes <= 0) return null
  if (minutes === 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

export const channelWords: Record<Channel['state'], string> = {
  waiting: 'About to be sent',
  accepted: 'Sent',
  failed: 'Failed',
  not_set_up: 'Not set up',
}

/** The facts that differ between two versions of an approval, as 'Amount: 25.00 → 26.00 USDC'. */
export function changesBetween(shown: Approval, now: Approval): string[] {
  const rows = (approval: Approval): [string, string][] => {
    const { recipient, recipientHistory, purchase } = approval
    return [
      ['Agent', approval.agent.name],
      ['Amount', amountOf(approval)],
      ['Recipient', recipientOf(approval)],
      ['Address', recipient?.address ?? recipient?.email ?? recipient?.phone ?? 'none'],
      ['Confirmed by the host', purchase?.isConfirmed ? 'yes' : 'no'],
      ['Paid before', recipientHistory?.payments ? timesPaid(recipientHistory.payments) : 'never'],
      ['Looks like', recipientHistory?.lookAlike ?? 'no address that you paid'],
      ['Policy group', approval.policyGroup.name],
      ['Wallet', approval.wallet.name ?? shortAddress(approval.wallet.address)],
      ...noteNames.map((name): [string, string] => [paymentNotes[name].label, approval[name] ?? 'none']),
      ['The agent says', approval.agentReason ?? 'nothing'],
      ['Why it was asked', approval.askedBecause.map(({ message }) => message).join(' ')],
      ['Expires', formatMoment(approval.expiresAt)],
    ]
  }
  const after = rows(now)
  return rows(shown).flatMap(([name, value], i) =>
    value === after[i]![1] ? [] : `${name}: ${value} → ${after[i]![1]}`,
  )
}
