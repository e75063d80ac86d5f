import { type Escrow, payoutTone } from '../queries/payouts.ts'
import { Chip } from './Chip.tsx'

export function PayoutStatusChip(props: { payout: Escrow }) {
  const { payout } = props
  const note =
    payout.inProgress === 'claim' ? 'Being claimed' : payout.inProgress === 'reclaim' ? 'Being reclaimed' : null
  return (
    <Chip tone={payoutTone(payout)} {...(note ? { title: note } : {})}>
      <span className="inline-block lowercase first-letter:uppercase">{payout.status}</span>
    </Chip>
  )
}
