import { formatAmount, formatMoment } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'

/** The payout: sender, amount, memo and deadline. */
export function Summary(props: { payout: ClaimPayout; amount?: string }) {
  const { payout } = props
  return (
    <div className="text-center">
      <p className="text-muted">{payout.senderName ? `${payout.senderName} sent you` : 'You were sent'}</p>
      <p className="font-semibold text-figure" data-testid="claim-amount">
        {formatAmount(props.amount ?? payout.amount)}{' '}
        <span className="font-normal text-muted text-title">{unitOf(payout.chain)}</span>
      </p>
      <p className="mt-1">
        {payout.chain === 'base'
          ? 'USDC is a digital dollar, worth about 1 US dollar.'
          : 'Test money on Base Sepolia: it has no value.'}
      </p>
      {payout.memo && <p className="mt-1 break-words italic">“{payout.memo}”</p>}
      <p className="mt-2 text-muted text-small">
        Claim before{' '}
        <time dateTime={payout.expiresAt} className="inline-block">
          {formatMoment(payout.expiresAt)}
        </time>
      </p>
    </div>
  )
}
