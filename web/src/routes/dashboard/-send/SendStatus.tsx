import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { TxHash } from '#web/components/Address.tsx'
import { ProgressDialog } from '#web/components/ProgressDialog.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { TransactionTimeline } from '#web/components/TransactionParts.tsx'
import { formatAmount, shortAddress } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { displayStatus, isFinal, refreshMoney, transactionQuery } from '#web/queries/transactions.ts'
import type { Payment } from './payment.ts'

/** The progress of an accepted payment, until it is confirmed or has failed. Closing does not stop it. */
export function SendStatus(props: { transactionId: string; payment: Payment; onClose: () => void }) {
  const { data: transaction, error, refetch } = useQuery(transactionQuery(props.transactionId))
  const final = transaction !== undefined && isFinal(transaction)

  useEffect(() => {
    if (!final) return
    refreshMoney()
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
              {`To ${contact ? `${contact.name}, ` : ''}`}
              <span translate="no" className="font-mono text-small" title={recipient}>
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
