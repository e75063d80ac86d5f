import { LoaderCircle } from 'lucide-react'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { Frame, Heading } from './Frame.tsx'

/**
 * Shown while the transfer is accepted but not yet confirmed on chain, or while it is not known whether a request that was
 * sent before a reload has been accepted.
 */
export default function ClaimPending(props: { payout: ClaimPayout; isAccepted: boolean }) {
  const { amount, chain } = props.payout
  return (
    <Frame chain={chain}>
      <div role="status" className="flex flex-col items-center py-4 text-center">
        <LoaderCircle aria-hidden="true" className="mb-4 size-10 animate-spin text-green" />
        <Heading focused>
          {props.isAccepted ? `Transferring ${formatAmount(amount)} ${unitOf(chain)}` : 'Checking your withdrawal'}
        </Heading>
        <p className="mt-1 text-balance text-muted">
          {props.isAccepted
            ? 'The transfer is on its way. This usually takes a few seconds. You can close this page: the transfer continues.'
            : 'This page was reloaded before the reply to your request arrived. In a few seconds it shows whether the money is on its way.'}
        </p>
      </div>
    </Frame>
  )
}
