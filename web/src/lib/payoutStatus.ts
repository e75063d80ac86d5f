import { deliveryFailed } from '#domain/delivery.ts'
import type { Delivery, Escrow, EscrowItem } from '#schemas/escrow.ts'
import type { Tone } from './tone.ts'

export function payoutTone(payout: Escrow): Tone {
  switch (payout.status) {
    case 'WITHDRAWN':
      return 'good'
    case 'RECLAIMED':
      return 'neutral'
    case 'FAILED':
      return 'bad'
    case 'CREATING':
    case 'CREATED':
      return 'waiting'
  }
}

export const canReclaim = (payout: Escrow) =>
  payout.status === 'CREATED' && Boolean(payout.escrowId) && payout.inProgress === null

export const recipientOf = (payout: Escrow) => payout.recipientEmail ?? payout.recipientPhone ?? 'Not specified'

/** 'Email bounced', 'SMS delivered'. */
export function deliveryText({ channel, state }: Delivery): string {
  const message = channel === 'email' ? 'Email' : 'SMS'
  switch (state) {
    case 'accepted':
      return `${message} sent`
    case 'delivered':
      return `${message} delivered`
    case 'undelivered':
      return `${message} could not be delivered`
    case 'bounced':
      return `${message} bounced`
    case 'complained':
      return `${message} marked as spam`
  }
}

/** Whether the recipient could still claim it if its link had not been taken down. */
export const isTakenDown = ({ linkTakenDown, status }: Escrow) =>
  linkTakenDown === true && (status === 'CREATING' || status === 'CREATED')

/** Whether the message to the recipient of an unclaimed payout failed to arrive. */
export const isUndelivered = ({ delivery, status }: EscrowItem) =>
  delivery !== null && deliveryFailed(delivery.state) && (status === 'CREATING' || status === 'CREATED')
