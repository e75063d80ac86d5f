import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../../components/CopyButton.tsx'
import { formatAmount } from '../../lib/format.ts'
import type { ClaimPayout } from '../../queries/claim.ts'
import Ending from './Ending.tsx'

export default function Receipt(props: { payout: ClaimPayout; recipientAddress: string }) {
  const { amount, txHash, explorerUrl } = props.payout
  return (
    <Ending look="complete" title="Transfer complete" leave="Done">
      <p className="my-2 font-semibold text-figure text-ink" data-testid="claim-amount">
        {formatAmount(amount)} <span className="font-normal text-muted text-title">USDC</span>
      </p>
      <p>Network fees covered by sender</p>
      <p className="mt-3 text-small">
        Sent to
        <span className="block break-all font-mono text-ink">{props.recipientAddress}</span>
      </p>
      {txHash && explorerUrl && (
        <p className="mt-3 flex items-center justify-center gap-1 text-small">
          <a
            href={explorerUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex items-center gap-1.5 rounded-sm text-green underline underline-offset-3"
          >
            View transaction in explorer
            <ExternalLink aria-hidden="true" className="size-4" />
          </a>
          <CopyButton text={txHash} what="transaction hash" />
        </p>
      )}
    </Ending>
  )
}
