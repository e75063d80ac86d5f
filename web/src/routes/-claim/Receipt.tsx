import { Printer } from 'lucide-react'
import { Button } from '#web/components/Button.tsx'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'
import { ClaimOutcome, TransactionLink } from './outcomes.tsx'

/** The completed claim, which can be printed or saved as a PDF. */
export default function Receipt(props: { payout: ClaimPayout; recipientAddress: string; completedAt: string }) {
  const { amount, chain, senderName, memo, id, txHash } = props.payout
  return (
    <ClaimOutcome
      look="complete"
      chain={chain}
      title="Transfer complete"
      leave="Done"
      action={
        <Button look="secondary" onClick={() => print()}>
          <Printer aria-hidden="true" className="size-4" />
          Save or print receipt
        </Button>
      }
    >
      <p className="my-2 font-semibold text-figure text-ink" data-testid="claim-amount">
        {formatAmount(amount)} <span className="font-normal text-muted text-title">{unitOf(chain)}</span>
      </p>
      <p>Network fees covered by sender</p>
      {chain === 'base' && (
        <p className="mt-2 text-small print:hidden">
          It is at your address now. A wallet shows it under USDC on Base; an exchange may take some minutes to credit
          it.
        </p>
      )}
      <dl className="mt-4 space-y-2 border-hairline border-t pt-4 text-left text-small">
        {senderName && <Line name="From">{senderName}</Line>}
        {memo && <Line name="For">{memo}</Line>}
        <Line name="Sent to">
          <span className="font-mono">{props.recipientAddress}</span>
        </Line>
        <Line name="Network">
          {chain === 'base' ? 'USDC on Base' : 'Test USDC on Base Sepolia, which has no value'}
        </Line>
        <Line name="Completed">{formatMoment(props.completedAt)}</Line>
        <Line name="Payout">
          <span className="font-mono">{id}</span>
        </Line>
        {txHash && (
          <Line name="Transaction">
            <span className="font-mono">{txHash}</span>
          </Line>
        )}
      </dl>
      <TransactionLink payout={props.payout} />
    </ClaimOutcome>
  )
}

function Line(props: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{props.name}</dt>
      <dd className="break-all text-ink">{props.children}</dd>
    </div>
  )
}
