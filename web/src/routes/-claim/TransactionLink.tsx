import { ExternalLink } from 'lucide-react'
import { CopyButton } from '#web/components/CopyButton.tsx'
import type { ClaimPayout } from '#web/queries/claim.ts'

/** A link to the claim's transaction in the explorer. Renders nothing before it is broadcast. */
export function TransactionLink(props: { payout: ClaimPayout }) {
  const { txHash, explorerUrl } = props.payout
  if (!txHash || !explorerUrl) return null
  return (
    <p className="mt-3 flex items-center justify-center gap-1 text-small print:hidden">
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
  )
}
