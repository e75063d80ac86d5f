import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { TxHash } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { Timeline } from '#web/components/Timeline.tsx'
import { TransactionTimeline } from '#web/components/TransactionParts.tsx'
import { failures } from '#web/lib/failures.ts'
import { formatAmount, formatMoment, shortAddress } from '#web/lib/format.ts'
import { type Chain, unitOf } from '#web/lib/networks.ts'
import { type CreatedPayout, payoutQuery, refreshPayouts } from '#web/queries/payouts.ts'
import { displayStatus, isFinal, refreshTransactions, transactionQuery } from '#web/queries/transactions.ts'
import { refreshWallets } from '#web/queries/wallets.ts'
import type { Payment } from './payment.ts'

/** The progress of an accepted payment, until it is confirmed or has failed. Closing does not stop it. */
export function SendStatus(props: { transactionId: string; payment: Payment; onClose: () => void }) {
  const { data: transaction, error, refetch } = useQuery(transactionQuery(props.transactionId))
  const final = transaction !== undefined && isFinal(transaction)

  useEffect(() => {
    if (!final) return
    refreshWallets()
    refreshTransactions()
  }, [final])

  const { contact, recipient, wallet } = props.payment
  const amount = `${formatAmount(props.payment.amount)} ${unitOf(wallet.chain)}`
  const status = transaction && displayStatus(transaction.status).label
  return (
    <ProgressDialog
      step={status === 'Completed' ? 'done' : status === 'Failed' ? 'failed' : 'running'}
      titles={{ running: `Sending ${amount}`, done: `Sent ${amount}`, failed: `Not sent: ${amount}` }}
      description={status === 'Pending' ? 'Accepted. You can close this dialog: the payment continues.' : undefined}
      problem={
        transaction?.errorMessage ?? 'Transaction failed. Please try again or contact support if the issue persists.'
      }
      onClose={props.onClose}
    >
      <div data-testid="send-status" data-status={transaction?.status}>
        {transaction ? (
          <div className="space-y-4">
            <p className="break-words text-muted">
              To {contact ? `${contact.name}, ` : ''}
              <span className="font-mono text-small" title={recipient}>
                {shortAddress(recipient)}
              </span>
            </p>
            <TransactionTimeline transaction={transaction} />
            {transaction.txHash && (
              <div className="flex flex-wrap items-center justify-between gap-x-4 border-hairline border-t pt-3">
                <span className="text-muted text-small">Transaction</span>
                <TxHash hash={transaction.txHash} chain={transaction.fromWalletChain} />
              </div>
            )}
          </div>
        ) : error ? (
          <ErrorState error={error} onRetry={() => refetch()} />
        ) : (
          <Skeleton className="h-32" />
        )}
      </div>
    </ProgressDialog>
  )
}

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
    refreshWallets()
    refreshPayouts()
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
            <Secret name="Claim link" what="link" value={payout.claimUrl} testId="claim-url" />
            {payout.passcode && <Secret name="Code" what="code" value={payout.passcode} testId="passcode" large />}
            <p className="text-muted text-small">
              {recipient} gets both by {props.channel} as soon as the payout is funded.
              {payout.passcode &&
                ' The code is shown only now; the link can be copied later from the payout’s details. If you pass the code on yourself, do not send it the same way as the link.'}
            </p>
            <div aria-live="polite" className="border-hairline border-t pt-4">
              <Timeline
                live
                steps={[
                  { label: 'Accepted', at: acceptedAt },
                  { label: 'Funded on Base', at: funded ? current.updatedAt : null },
                ]}
              />
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Secret(props: { name: string; what: string; value: string; testId: string; large?: boolean }) {
  return (
    <div>
      <p className="mb-1 text-muted text-small">{props.name}</p>
      <div className="flex items-center justify-between gap-2 rounded-control bg-sunken py-2 pr-2 pl-4">
        <span
          data-testid={props.testId}
          className={props.large ? 'font-mono text-title tracking-[0.25em]' : 'break-all font-mono text-small'}
        >
          {props.value}
        </span>
        <CopyButton text={props.value} what={props.what} />
      </div>
    </div>
  )
}
