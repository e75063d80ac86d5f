import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { failures } from '../lib/failures.ts'
import { formatAmount, formatMoment } from '../lib/format.ts'
import { type Chain, networkName, unitOf } from '../lib/networks.ts'
import { type CreatedPayout, payoutQuery } from '../queries/payouts.ts'
import { refreshMoney } from '../queries/transactions.ts'
import { Button } from './Button.tsx'
import { CopyBox } from './CopyBox.tsx'
import { Dialog } from './Dialog.tsx'
import { ErrorBox } from './Field.tsx'
import { Timeline } from './Timeline.tsx'

const pollMs = 2_000 // 2 seconds

/** A payout that was accepted: its link and code, each with a copy button, and the progress of its funding. */
export function PayoutCreated(props: {
  payout: CreatedPayout
  amount: string
  chain: Chain
  recipient: string
  channel: 'email' | 'SMS'
  onClose: () => void
}) {
  const { payout, recipient } = props
  const [acceptedAt] = useState(() => new Date().toISOString())
  const { data: current } = useQuery({
    ...payoutQuery(payout.id),
    refetchInterval: (query) => (query.state.data && query.state.data.status !== 'CREATING' ? false : pollMs),
  })
  const funded = current !== undefined && current.status !== 'CREATING'
  const failed = current?.status === 'FAILED'

  useEffect(() => {
    if (!funded) return
    refreshMoney()
  }, [funded])

  return (
    <Dialog
      title={failed ? 'Payout failed' : 'Payout created'}
      description={
        failed
          ? 'The payout was not funded. No money left your wallet.'
          : `${formatAmount(props.amount)} ${unitOf(props.chain)} for ${recipient}, to be claimed before ${formatMoment(payout.expiresAt)}.`
      }
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Done</Button>}
    >
      <div className="space-y-4" data-testid="payout-created" data-status={current?.status ?? 'CREATING'}>
        {failed ? (
          <ErrorBox>{current?.errorMessage ?? failures.payout}</ErrorBox>
        ) : (
          <>
            <CopyBox name="Claim link" what="link" value={payout.claimUrl} testId="claim-url" />
            {payout.passcode && <CopyBox name="Code" what="code" value={payout.passcode} testId="passcode" large />}
            <p className="text-muted text-small">
              {recipient} gets both by {props.channel} as soon as the payout is funded.
              {payout.passcode && (
                <span>
                  {' '}
                  You won’t see the code again; the link can be copied later from the payout’s details. If you pass the
                  code on yourself, do not send it the same way as the link.
                </span>
              )}
            </p>
            <div aria-live="polite" className="border-hairline border-t pt-4">
              <Timeline
                live
                steps={[
                  { label: 'Accepted', at: acceptedAt },
                  { label: `Funded on ${networkName(props.chain)}`, at: funded ? current.updatedAt : null },
                ]}
              />
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
