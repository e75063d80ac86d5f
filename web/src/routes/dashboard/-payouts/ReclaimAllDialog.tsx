import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatUsdc, parseUsdc } from '../../../../../worker/domain/money.ts'
import { Amount } from '../../../components/Amount.tsx'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox } from '../../../components/Field.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { api, messageOf } from '../../../lib/api.ts'
import { formatAmount, plural } from '../../../lib/format.ts'
import { getPage } from '../../../lists/calls.ts'
import { queryOf } from '../../../lists/range.ts'
import { type Escrow, recipientOf, reclaimAllPayouts, reclaimableQuery } from '../../../queries/payouts.ts'
import { refreshWallets } from '../../../queries/wallets.ts'

const pollMs = 2_000 // 2 seconds
const mostPolls = 150
const pageSize = 100

type Step =
  | { step: 'confirm' }
  | { step: 'loading'; targets: Map<string, Escrow> | null; left: number; polls: number }
  | { step: 'success'; count: number; total: string }
  | { step: 'error'; error: string; failed: Escrow[] }

/** Every payout that waits for its recipient now, oldest calls first. */
async function waiting(): Promise<Map<string, Escrow>> {
  const found = new Map<string, Escrow>()
  for (let page = 1; ; page++) {
    const { rows, page: info } = await getPage<Escrow, { escrows: Escrow[] }>(
      `/escrow/list?${queryOf({ page, pageSize, status: 'CREATED' })}`,
      (data) => data.escrows,
    )
    for (const row of rows) found.set(row.escrowId, row)
    if (page * pageSize >= info.total || rows.length === 0) return found
  }
}

const sumOf = (payouts: Iterable<Escrow>) =>
  formatUsdc([...payouts].reduce((sum, { amount }) => sum + (parseUsdc(amount) ?? 0n), 0n))

/** Takes every unclaimed payout back, and watches until none of them waits any more. Closing does not stop it. */
export default function ReclaimAllDialog(props: { onClose: () => void }) {
  const [state, setState] = useState<Step>({ step: 'confirm' })
  const { data } = useQuery(reclaimableQuery)

  async function start() {
    setState({ step: 'loading', targets: null, left: 0, polls: 0 })
    try {
      const targets = await waiting()
      await reclaimAllPayouts()
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
      const now = await waiting().catch(() => null)
      const still = now === null ? null : [...targets.values()].filter(({ escrowId }) => now.has(escrowId))
      if (still?.length === 0) setState(await outcome(targets).catch(() => ({ ...state, left: 0, polls: polls + 1 })))
      else if (polls + 1 >= mostPolls)
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
          description="Their links and codes stop working, and the money goes back to the wallets that paid."
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
                  , <Amount value={sumOf(data.rows)} className="font-semibold" /> together
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
          description="You may close this; the reclaims go on."
          locked={targets === null}
          onClose={props.onClose}
        >
          <div role="status" className="space-y-3">
            <p>{targets === null ? 'Asking for the reclaims...' : `${done} of ${targets.size}`}</p>
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
          title={`Reclaimed ${formatAmount(state.total)} USDC`}
          description={`${plural(state.count, 'payout')} went back to your wallets.`}
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
                    <Amount value={payout.amount} />
                  </li>
                ))}
              </ul>
            )}
          </div>
        </Dialog>
      )
  }
}

/** None waits any more: were all of them reclaimed, or was a recipient faster? */
async function outcome(targets: Map<string, Escrow>): Promise<Step> {
  const ids = [...targets.keys()]
  const ended: Escrow[] = []
  for (let i = 0; i < ids.length; i += pageSize) {
    const query = queryOf({ pageSize, ids: ids.slice(i, i + pageSize).join(',') })
    ended.push(...(await api.get<{ escrows: Escrow[] }>(`/escrow/list?${query}`)).escrows)
  }
  refreshWallets()
  const failed = ended.filter(({ status }) => status !== 'RECLAIMED')
  if (failed.length > 0) return { step: 'error', error: 'Some payouts could not be reclaimed.', failed }
  return { step: 'success', count: ended.length, total: sumOf(ended) }
}
