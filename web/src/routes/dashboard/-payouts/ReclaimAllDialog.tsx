import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatUsdc } from '#domain/money.ts'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { useReply } from '#web/components/LateReply.tsx'
import { Skeleton } from '#web/components/states.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/apiError.ts'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { recipientOf } from '#web/lib/payoutStatus.ts'
import {
  type Escrow,
  fetchPayoutsById,
  fetchReclaimable,
  reclaimAllPayouts,
  reclaimableQuery,
  refreshPayouts,
} from '#web/queries/payouts.ts'
import { refreshWallets } from '#web/queries/wallets.ts'

const pollMs = 2_000 // 2 seconds
const maxPolls = 150

type Step =
  | { step: 'confirm' }
  | { step: 'loading'; targets: Map<string, Escrow> | null; left: number; polls: number }
  | { step: 'success'; count: number; sums: string }
  | { step: 'error'; error: string; failed: Escrow[] }

/** '12.00 USDC', '3.00 Test USDC', or both: test money is never added to real money. */
function sumsOf(payouts: Escrow[]): string {
  const texts = (['base', 'base-sepolia'] as const).map((chain) => {
    const ofChain = payouts.filter(({ sourceWallet }) => (sourceWallet?.chain ?? 'base') === chain)
    const sum = ofChain.reduce((total, { amount }) => total + microOf(amount), 0n)
    return ofChain.length > 0 && `${formatAmount(formatUsdc(sum))} ${unitOf(chain)}`
  })
  return texts.filter(Boolean).join(' and ')
}

/** Reclaims all unclaimed payouts and polls until none is left. Closing does not stop the reclaims. */
export default function ReclaimAllDialog(props: { onClose: () => void }) {
  const [state, setState] = useState<Step>({ step: 'confirm' })
  const { data } = useQuery(reclaimableQuery)
  const { replyOf, onStopWaiting } = useReply()

  async function start() {
    setState({ step: 'loading', targets: null, left: 0, polls: 0 })
    try {
      const targets = await replyOf(fetchReclaimable())
      await replyOf(reclaimAllPayouts())
      setState({ step: 'loading', targets, left: targets.size, polls: 0 })
    } catch (error) {
      setState({
        step: 'error',
        error: messageOf(error, 'Failed to reclaim payouts', 'Failed to queue reclaims'),
        failed: [],
      })
    }
  }

  useEffect(() => {
    if (state.step !== 'loading' || state.targets === null) return
    const { targets, polls } = state
    const timer = setTimeout(async () => {
      const now = await fetchReclaimable().catch(() => null)
      const still = now === null ? null : [...targets.values()].filter(({ escrowId }) => now.has(escrowId))
      if (still && still.length < state.left) refreshPayouts()
      if (still?.length === 0) setState(await outcome(targets).catch(() => ({ ...state, left: 0, polls: polls + 1 })))
      else if (polls + 1 >= maxPolls)
        setState({
          step: 'error',
          error: 'Timeout: Some reclaims may still be processing. Please check your payouts tab.',
          failed: still ?? [],
        })
      else setState({ step: 'loading', targets, left: still?.length ?? state.left, polls: polls + 1 })
    }, pollMs)
    return () => clearTimeout(timer)
  }, [state])

  switch (state.step) {
    case 'confirm':
      return (
        <Dialog
          role="alertdialog"
          title="Reclaim all pending payouts"
          description="Their links and codes stop working, and the money returns to the wallets that paid."
          onClose={props.onClose}
          footer={
            <>
              <Button look="secondary" onClick={props.onClose}>
                Cancel
              </Button>
              <Button disabled={!data} onClick={start}>
                {data ? `Reclaim ${plural(data.page.total, 'payout')}` : 'Reclaim'}
              </Button>
            </>
          }
        >
          {data ? (
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
          )}
        </Dialog>
      )
    case 'loading': {
      const { targets, left } = state
      const done = targets === null ? 0 : targets.size - left
      return (
        <Dialog
          title="Reclaiming payouts"
          description="You can close this dialog: the reclaims continue."
          locked={targets === null}
          onStopWaiting={onStopWaiting}
          onClose={props.onClose}
        >
          <div role="status" className="space-y-3">
            <p>{targets === null ? 'Requesting the reclaims...' : `${done} of ${targets.size}`}</p>
            <progress
              aria-label="Reclaimed payouts"
              className="h-2 w-full accent-green"
              max={targets?.size ?? 1}
              value={targets === null ? undefined : done}
            />
          </div>
        </Dialog>
      )
    }
    case 'success':
      return (
        <Dialog
          title={`Reclaimed ${state.sums}`}
          description={`${plural(state.count, 'payout')} returned to your wallets.`}
          onClose={props.onClose}
          footer={<Button onClick={props.onClose}>Done</Button>}
        >
          {null}
        </Dialog>
      )
    case 'error':
      return (
        <Dialog
          role="alertdialog"
          title="Payouts not reclaimed"
          onClose={props.onClose}
          footer={
            <>
              <Button look="secondary" onClick={props.onClose}>
                Close
              </Button>
              <Button onClick={start}>Try again</Button>
            </>
          }
        >
          <div className="space-y-3">
            <ErrorBox>{state.error}</ErrorBox>
            {state.failed.length > 0 && (
              <ul aria-label="Not reclaimed" className="divide-y divide-hairline">
                {state.failed.map((payout) => (
                  <li key={payout.escrowId} className="flex flex-wrap justify-between gap-x-4 py-2">
                    <span className="wrap-anywhere min-w-0">{recipientOf(payout)}</span>
                    <Amount value={payout.amount} chain={payout.sourceWallet?.chain} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        </Dialog>
      )
  }
}

/** The result once none is unclaimed: success if all were reclaimed, an error if a recipient claimed one first. */
async function outcome(targets: Map<string, Escrow>): Promise<Step> {
  const ended = await fetchPayoutsById([...targets.keys()])
  refreshWallets()
  const failed = ended.filter(({ status }) => status !== 'RECLAIMED')
  if (failed.length > 0) return { step: 'error', error: 'Some payouts could not be reclaimed.', failed }
  return { step: 'success', count: ended.length, sums: sumsOf(ended) }
}
