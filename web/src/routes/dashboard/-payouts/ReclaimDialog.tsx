import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { TxHash } from '#web/components/Address.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { formatAmount } from '#web/lib/format.ts'
import { networkName, unitOf } from '#web/lib/networks.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { type Payout, payoutQuery, recipientOf, reclaimPayout, refreshPayouts } from '#web/queries/payouts.ts'
import { refreshWallets, walletName } from '#web/queries/wallets.ts'

const pollMs = 2_000 // 2 seconds

type State =
  | { step: 'confirm' | 'done' }
  /** `acceptedAt` is null until the server accepts the reclaim. `seen`: the payout was seen with a reclaim in progress. */
  | { step: 'running'; acceptedAt: string | null; seen: boolean }
  /** `final`: there is nothing left to reclaim. */
  | { step: 'failed'; problem: string; final?: boolean }

/** Reclaims one unclaimed payout. */
export default function ReclaimDialog(props: { payout: Payout; onClose: () => void }) {
  const { payout } = props
  const [state, setState] = useState<State>({ step: 'confirm' })
  const request = useDialogAction((_: undefined, idempotencyKey) => reclaimPayout(payout.id, idempotencyKey), {
    fallback: 'Failed to reclaim payout',
    onDone: ({ status }) =>
      setState({ step: 'running', acceptedAt: new Date().toISOString(), seen: status === 'RECLAIMED' }),
    onFailed: (_, problem) => void setState({ step: 'failed', problem: problem || 'An unknown error occurred' }),
  })
  const isAccepted = state.step === 'running' && state.acceptedAt !== null
  const { data: current } = useQuery({
    ...payoutQuery(payout.id),
    enabled: isAccepted || state.step === 'done',
    staleTime: 0,
    refetchInterval: isAccepted ? pollMs : false,
  })

  useEffect(() => {
    if (state.step !== 'running' || state.acceptedAt === null || !current) return
    if (current.status === 'RECLAIMED') {
      setState({ step: 'done' })
      refreshPayouts()
      refreshWallets()
    } else if (current.status === 'WITHDRAWN')
      setState({ step: 'failed', problem: 'The recipient claimed this payout first.', final: true })
    else if (current.inProgress === 'reclaim' && !state.seen) setState({ ...state, seen: true })
    else if (current.inProgress === null && state.seen)
      setState({ step: 'failed', problem: 'Failed to reclaim payout' })
  }, [state, current])

  function reclaim() {
    setState({ step: 'running', acceptedAt: null, seen: false })
    request.start(undefined)
  }

  const chain = payout.sourceWallet?.chain ?? 'base'
  const amount = `${formatAmount(payout.amount)} ${unitOf(chain)}`
  const walletOr = (other: string) => (payout.sourceWallet ? walletName(payout.sourceWallet) : other)
  const descriptions = {
    confirm: `Take ${amount} back from ${recipientOf(payout)}? Their link and code stop working.`,
    running: 'Once it is accepted you can close this dialog: the reclaim continues.',
    done: `The money is back in ${walletOr('the paying wallet')}.`,
    failed: undefined,
  }
  return (
    <ProgressDialog
      step={state.step}
      titles={{
        confirm: 'Reclaim payout',
        running: `Reclaiming ${amount}`,
        done: `Reclaimed ${amount}`,
        failed: 'Payout not reclaimed',
      }}
      description={descriptions[state.step]}
      confirm={{ label: `Reclaim ${amount}`, onStart: state.step === 'failed' && state.final ? undefined : reclaim }}
      problem={state.step === 'failed' ? state.problem : undefined}
      locked={request.busy}
      onStopWaiting={request.onStopWaiting}
      onClose={props.onClose}
    >
      {state.step === 'confirm' && (
        <dl className="divide-y divide-hairline">
          <Fact name="Returns to">{walletOr('The paying wallet')}</Fact>
          <Fact name="Network fee">Covered</Fact>
        </dl>
      )}
      {state.step === 'running' && (
        <Timeline
          live
          steps={[
            { label: 'Accepted', at: state.acceptedAt },
            { label: `Returned on ${networkName(chain)}`, at: null },
          ]}
        />
      )}
      {state.step === 'done' && current?.txHash && (
        <dl>
          <Fact name="Transaction">
            <TxHash hash={current.txHash} chain={chain} />
          </Fact>
        </dl>
      )}
    </ProgressDialog>
  )
}

/** Reclaims the payout that a transaction funded. */
export function ReclaimPayout(props: { payoutId: string; onClose: () => void }) {
  const { data, error, refetch } = useQuery(payoutQuery(props.payoutId))
  if (data) return <ReclaimDialog payout={data} onClose={props.onClose} />
  return (
    <Dialog title="Reclaim payout" onClose={props.onClose}>
      {error ? <ErrorState error={error} onRetry={() => refetch()} /> : <Skeleton className="h-32" />}
    </Dialog>
  )
}
