import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatUsdc } from '#domain/money.ts'
import { Amount } from '#web/components/Amount.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import {
  fetchPayoutsById,
  fetchReclaimable,
  type Payout,
  recipientOf,
  reclaimAllPayouts,
  reclaimableQuery,
  refreshPayouts,
} from '#web/queries/payouts.ts'
import { refreshWallets } from '#web/queries/wallets.ts'

const pollMs = 2_000 // 2 seconds
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
export default function ReclaimAllDialog(props: { onClose: () => void }) {
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
    running: request.busy ? undefined : 'You can close this dialog: the reclaims continue.',
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
              <span>
                , <span className="whitespace-nowrap font-semibold">{sumsOf(data.rows)}</span> together
              </span>
            )}
            <span>.</span>
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
