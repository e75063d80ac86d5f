import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { TxHash } from '#web/components/Address.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { networkName } from '#web/lib/networks.ts'
import type { WalletActionView } from '#web/queries/wallets.ts'
import { refreshWallets, sessionKeyQuery, type Wallet } from '#web/queries/wallets.ts'

const pollMs = 1_500 // 1.5 seconds

/** A title for each state, and a message for success. */
type Words = { running: string; done: string; failed: string; after: string }

/** The progress of a change to the wallet, until it is confirmed or has failed. Closing does not stop it. */
export function ActionProgress(props: { wallet: Wallet; actionId: string; words: Words; onClose: () => void }) {
  const { wallet, words } = props
  const info = useQuery({
    ...sessionKeyQuery(wallet.id),
    refetchInterval: (query) =>
      query.state.data?.actions.find(({ id }) => id === props.actionId)?.endedAt ? false : pollMs,
  })
  const action = info.data?.actions.find(({ id }) => id === props.actionId)
  const status = action?.status ?? 'draining'
  const ended = status === 'done' || status === 'failed'

  useEffect(() => {
    if (ended) refreshWallets()
  }, [ended])

  return (
    <ProgressDialog
      step={ended ? status : 'running'}
      titles={words}
      description={ended ? undefined : 'You can close this dialog: the change continues.'}
      problem={action?.error ?? 'Failed to rotate session key'}
      onClose={props.onClose}
    >
      <div data-testid="action-progress" data-status={status}>
        {action ? (
          <div className="space-y-4">
            <Timeline live={!ended} steps={stepsOf(action, networkName(wallet.chain))} />
            {status === 'done' && <p className="text-muted">{words.after}</p>}
            {action.txHash && (
              <div className="flex flex-wrap items-center justify-between gap-x-4 border-hairline border-t pt-3">
                <span className="text-muted text-small">Transaction</span>
                <TxHash hash={action.txHash} chain={wallet.chain} />
              </div>
            )}
          </div>
        ) : info.error ? (
          <ErrorState error={info.error} fallback="Failed to fetch session key info" onRetry={() => info.refetch()} />
        ) : (
          <Skeleton className="h-24" />
        )}
      </div>
    </ProgressDialog>
  )
}

function stepsOf(action: WalletActionView, network: string) {
  const { createdAt, endedAt, status, kind } = action
  const isSession = kind === 'rotate' || kind === 'setSession'
  const left = status === 'draining' ? null : createdAt
  return [
    { label: isSession ? 'New key created' : 'Signed by you', at: createdAt },
    ...(isSession ? [{ label: 'Payments in progress completed', at: left }] : []),
    { label: `Sent to ${network}`, at: left },
    { label: `Confirmed on ${network}`, at: status === 'done' ? endedAt : null, failed: status === 'failed' },
  ]
}
