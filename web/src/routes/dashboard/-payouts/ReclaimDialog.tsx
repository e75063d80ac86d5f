import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { TxHash } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { useReply } from '#web/components/LateReply.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { formatAmount } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { recipientOf } from '#web/lib/payoutStatus.ts'
import { useIdempotencyKey } from '#web/lib/useIdempotencyKey.ts'
import { type Escrow, payoutQuery, reclaimPayout, refreshPayouts } from '#web/queries/payouts.ts'
import { refreshWallets, walletName } from '#web/queries/wallets.ts'

const pollMs = 2_000 // 2 seconds

type Step =
  | { step: 'confirm' }
  /** `acceptedAt` is null until the server accepts the reclaim. `seen`: the payout was seen with a reclaim in progress. */
  | { step: 'loading'; acceptedAt: string | null; seen: boolean }
  | { step: 'success' }
  /** `final`: there is nothing left to reclaim. */
  | { step: 'error'; error: string; final?: boolean }

/** Reclaims one unclaimed payout: confirm, loading, success or error. */
export default function ReclaimDialog(props: { payout: Escrow; onClose: () => void }) {
  const { payout } = props
  const [state, setState] = useState<Step>({ step: 'confirm' })
  const idempotencyKey = useIdempotencyKey()
  const { replyOf, onStopWaiting } = useReply()
  const polling = state.step === 'loading' && state.acceptedAt !== null
  const { data: current } = useQuery({
    ...payoutQuery(payout.escrowId),
    enabled: polling || state.step === 'success',
    staleTime: 0,
    refetchInterval: polling ? pollMs : false,
  })
  const amount = `${formatAmount(payout.amount)} ${unitOf(payout.sourceWallet?.chain ?? 'base')}`

  useEffect(() => {
    if (state.step !== 'loading' || state.acceptedAt === null || !current) return
    if (current.status === 'RECLAIMED') {
      setState({ step: 'success' })
      refreshPayouts()
      refreshWallets()
    } else if (current.status === 'WITHDRAWN')
      setState({ step: 'error', error: 'The recipient claimed this payout first.', final: true })
    else if (current.inProgress === 'reclaim' && !state.seen) setState({ ...state, seen: true })
    else if (current.inProgress === null && state.seen) setState({ step: 'error', error: 'Failed to reclaim payout' })
  }, [state, current])

  async function reclaim() {
    setState({ step: 'loading', acceptedAt: null, seen: false })
    try {
      const reply = await replyOf(reclaimPayout(payout.escrowId, idempotencyKey.current()))
      setState({ step: 'loading', acceptedAt: new Date().toISOString(), seen: reply.status === 'RECLAIMED' })
    } catch (error) {
      idempotencyKey.onFailed(error)
      setState({ step: 'error', error: messageOf(error, 'Failed to reclaim payout') })
    }
  }

  switch (state.step) {
    case 'confirm':
      return (
        <Dialog
          role="alertdialog"
          title="Reclaim payout"
          description={`Take ${amount} back from ${recipientOf(payout)}? Their link and code stop working.`}
          onClose={props.onClose}
          footer={
            <>
              <Button look="secondary" onClick={props.onClose}>
                Cancel
              </Button>
              <Button onClick={reclaim}>Reclaim {amount}</Button>
            </>
          }
        >
          <dl className="divide-y divide-hairline">
            <Fact name="Returns to">{payout.sourceWallet ? walletName(payout.sourceWallet) : 'The paying wallet'}</Fact>
            <Fact name="Network fee">Covered</Fact>
          </dl>
        </Dialog>
      )
    case 'loading':
      return (
        <Dialog
          title={`Reclaiming ${amount}`}
          description="Once it is accepted you can close this dialog: the reclaim continues."
          onClose={props.onClose}
          locked={state.acceptedAt === null}
          onStopWaiting={onStopWaiting}
        >
          <div role="status">
            <Timeline
              live
              steps={[
                { label: 'Accepted', at: state.acceptedAt },
                { label: 'Returned on Base', at: null },
              ]}
            />
          </div>
        </Dialog>
      )
    case 'success':
      return (
        <Dialog
          title={`Reclaimed ${amount}`}
          description={`The money is back in ${payout.sourceWallet ? walletName(payout.sourceWallet) : 'the paying wallet'}.`}
          onClose={props.onClose}
          footer={<Button onClick={props.onClose}>Done</Button>}
        >
          {current?.txHash && (
            <dl>
              <Fact name="Transaction">
                <TxHash hash={current.txHash} chain={payout.sourceWallet?.chain ?? 'base'} />
              </Fact>
            </dl>
          )}
        </Dialog>
      )
    case 'error':
      return (
        <Dialog
          role="alertdialog"
          title="Payout not reclaimed"
          onClose={props.onClose}
          footer={
            <>
              <Button look="secondary" onClick={props.onClose}>
                Close
              </Button>
              {!state.final && <Button onClick={reclaim}>Try again</Button>}
            </>
          }
        >
          <ErrorBox>{state.error || 'An unknown error occurred'}</ErrorBox>
        </Dialog>
      )
  }
}
