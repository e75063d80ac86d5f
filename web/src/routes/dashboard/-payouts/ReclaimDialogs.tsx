import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatUsdc } from '#domain/money.ts'
import { TxHash } from '#web/components/Address.tsx'
import { Amount } from '#web/components/Amount.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import {
  fetchPayoutsById,
  fetchReclaimable,
  type Payout,
  payoutQuery,
  recipientOf,
  reclaimAllPayouts,
  reclaimableQuery,
  reclaimPayout,
  refreshPayouts,
} from '#web/queries/payouts.ts'
import { refreshWallets, walletName } from '#web/queries/wallets.ts'

const pollMs = 2_000 // 2 seconds

type State =
  | { step: 'confirm' | 'done' }
  /** `acceptedAt` is null until the server accepts the reclaim. `seen`: the payout was seen with a reclaim in progress. */
  | { step: 'running'; acceptedAt: string | null; seen: boolean }
  /** `final`: there is nothing left to reclaim. */
  | { step: 'failed'; problem: string; final?: boolean }

/** Reclaims one unclaimed payout. */
export function ReclaimDialog(props: { payout: Payout; onClose: () => void }) {
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
            { label: 'Returned on Base', at: null },
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

const maxPolls = 150

/** `left` are those not reclaimed yet. `ended` is null until none is left; it then has all of them as they ended. */
type Progress = { polls: number; left: Payout[]; ended: Payout[] | null }

/** '12.00 USDC', '3.00 Test USDC', or both: test money is never added to real money. */
function sumsOf(payouts: Payout[]): string {
  const texts = (['base', 'base-sepolia'] as const).map((chain) => {
    const ofChain = payouts.filter(({ sourceWallet }) => (sourceWallet?.chain ?? 'base') === chain)
    const sum = ofChain.reduce((total, { amount }) => total + microOf(amount), 0n)
    return ofChain.length > 0 && `${formatAmount(formatUsdc(sum))} ${unitOf(chain)}`
  })
  return texts.filter(Boolean).join(' and ')
}

/** Reclaims all unclaimed payouts and polls until none is left. */
export function ReclaimAllDialog(props: { onClose: () => void }) {
  const { data } = useQuery(reclaimableQuery)
  /** The payouts whose reclaim was requested. */
  const [requested, setRequested] = useState<{ at: number; payouts: Payout[] } | null>(null)
  const request = useDialogAction(
    async () => {
      const payouts = await fetchReclaimable()
      await reclaimAllPayouts()
      return payouts
    },
    {
      fallback: (error) => messageOf(error, 'Failed to reclaim payouts', 'Failed to queue reclaims'),
      onDone: (payouts) => setRequested({ at: Date.now(), payouts }),
    },
  )
  const payouts = requested?.payouts ?? []
  const progress = useQuery({
    queryKey: ['reclaim-all', requested?.at],
    // A failed poll counts too, and leaves the progress as it was.
    queryFn: async ({ client, queryKey }): Promise<Progress> => {
      const before = client.getQueryData<Progress>(queryKey) ?? { polls: 0, left: payouts, ended: null }
      const now = await progressOf(payouts).catch(() => before)
      return { ...now, polls: before.polls + 1 }
    },
    enabled: requested !== null,
    refetchInterval: (query) => (isOver(query.state.data) ? false : pollMs),
  }).data
  const done = requested ? payouts.length - (progress?.left.length ?? payouts.length) : 0
  useEffect(() => {
    if (done > 0) refreshPayouts()
  }, [done])
  useEffect(() => {
    if (progress?.ended) refreshWallets()
  }, [progress?.ended])

  const failed = progress?.ended
    ? progress.ended.filter(({ status }) => status !== 'RECLAIMED')
    : (progress?.left ?? [])
  const problem =
    request.problem ??
    (isOver(progress) && failed.length > 0
      ? progress?.ended
        ? 'Some payouts could not be reclaimed.'
        : 'Timeout: Some reclaims may still be processing. Please check your payouts tab.'
      : undefined)
  const step = problem ? 'failed' : progress?.ended ? 'done' : request.busy || requested ? 'running' : 'confirm'
  const descriptions = {
    confirm: 'Their links and codes stop working, and the money returns to the wallets that paid.',
    running: 'You can close this dialog: the reclaims continue.',
    done: `${plural(payouts.length, 'payout')} returned to your wallets.`,
    failed: undefined,
  }
  return (
    <ProgressDialog
      step={step}
      titles={{
        confirm: 'Reclaim all pending payouts',
        running: 'Reclaiming payouts',
        done: `Reclaimed ${sumsOf(payouts)}`,
        failed: 'Payouts not reclaimed',
      }}
      description={descriptions[step]}
      confirm={{
        label: data ? `Reclaim ${plural(data.page.total, 'payout')}` : 'Reclaim',
        disabled: !data,
        onStart() {
          setRequested(null)
          request.start()
        },
      }}
      problem={problem}
      locked={request.busy}
      onStopWaiting={request.onStopWaiting}
      onClose={props.onClose}
    >
      {step === 'confirm' &&
        (data ? (
          <p>
            {plural(data.page.total, 'payout')} not claimed yet
            {data.page.total <= data.rows.length && (
              <>
                , <span className="font-semibold">{sumsOf(data.rows)}</span> together
              </>
            )}
            .
          </p>
        ) : (
          <Skeleton />
        ))}
      {step === 'running' && (
        <>
          <p>{requested ? `${done} of ${payouts.length}` : 'Requesting the reclaims...'}</p>
          <progress
            aria-label="Reclaimed payouts"
            className="h-2 w-full accent-green"
            max={payouts.length || 1}
            value={requested ? done : undefined}
          />
        </>
      )}
      {step === 'failed' && failed.length > 0 && (
        <ul aria-label="Not reclaimed" className="divide-y divide-hairline">
          {failed.map((payout) => (
            <li key={payout.id} className="flex flex-wrap justify-between gap-x-4 py-2">
              <span className="wrap-anywhere min-w-0">{recipientOf(payout)}</span>
              <Amount value={payout.amount} chain={payout.sourceWallet?.chain} />
            </li>
          ))}
        </ul>
      )}
    </ProgressDialog>
  )
}

const isOver = (progress: Progress | undefined) =>
  progress !== undefined && (progress.ended !== null || progress.polls >= maxPolls)

async function progressOf(payouts: Payout[]): Promise<Omit<Progress, 'polls'>> {
  const reclaimable = new Set((await fetchReclaimable()).map(({ id }) => id))
  const left = payouts.filter(({ id }) => reclaimable.has(id))
  return { left, ended: left.length > 0 ? null : await fetchPayoutsById(payouts.map(({ id }) => id)) }
}
