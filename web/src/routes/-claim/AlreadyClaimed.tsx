import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import ClaimOutcome from './ClaimOutcome.tsx'
import { TransactionLink } from './TransactionLink.tsx'

/** Shown when the money was withdrawn, but not in this tab. */
export default function AlreadyClaimed(props: { payout: ClaimPayout }) {
  const { payout } = props
  return (
    <ClaimOutcome look="claimed" title="Already Claimed" leave="Return Home" chain={payout.chain}>
      <p>
        {formatAmount(payout.amount)} {unitOf(payout.chain)} has been withdrawn from this payout.
      </p>
      <TransactionLink payout={payout} />
      <p className="mt-3 text-small">
        Wasn’t you? The transaction shows where the money went. It can’t be taken back, so tell{' '}
        {payout.senderName ?? 'the sender'} who else may have had the link and the code.
      </p>
    </ClaimOutcome>
  )
}
