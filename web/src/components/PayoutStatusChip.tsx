import { type Payout, payoutTone } from '../queries/payouts.ts'
import { Chip } from './Chip.tsx'

/** A payout's status; its tooltip says whether a claim or reclaim is in progress. */
export function PayoutStatusChip(props: { payout: Payout }) {
  const { payout } = props
  const note =
    payout.inProgress === 'claim' ? 'Being claimed' : payout.inProgress === 'reclaim' ? 'Being reclaimed' : null
  return (
    <Chip tone={payoutTone(payout)} {...(note ? { title: note } : {})}>
      <span className="inline-block lowercase first-letter:uppercase">{payout.status}</span>
    </Chip>
  )
}
