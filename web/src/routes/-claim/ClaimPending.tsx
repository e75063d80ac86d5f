import { LoaderCircle } from 'lucide-react'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { Frame, Heading } from './Frame.tsx'

/** Shown while the transfer is accepted but not yet confirmed on chain. */
export default function ClaimPending(props: { payout: ClaimPayout }) {
  return (
    <Frame chain={props.payout.chain}>
      <div role="status" className="flex flex-col items-center py-4 text-center">
        <LoaderCircle aria-hidden="true" className="mb-4 size-10 animate-spin text-green" />
        <Heading focused>
          Transferring {formatAmount(props.payout.amount)} {unitOf(props.payout.chain)}
        </Heading>
        <p className="mt-1 text-balance text-muted">
          The transfer is on its way. This usually takes a few seconds. You can close this page: the transfer continues.
        </p>
      </div>
    </Frame>
  )
}
