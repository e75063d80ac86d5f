import { useQuery } from '@tanstack/react-query'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { payoutQuery } from '#web/queries/payouts.ts'
import ReclaimDialog from '../-payouts/ReclaimDialog.tsx'

/** Reclaims the payout that a transaction funded. */
export default function ReclaimPayout(props: { payoutId: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery(payoutQuery(props.payoutId))
  if (data) return <ReclaimDialog payout={data} onClose={props.onClose} />
  return (
    <Dialog title="Reclaim payout" onClose={props.onClose}>
      {error ? <ErrorState error={error} onRetry={() => refetch()} /> : <Skeleton className="h-32" />}
    </Dialog>
  )
}
