import { useState } from 'react'
import type { RecipientHistory } from '#schemas/transaction.ts'
import { FullAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { Fact } from '#web/components/Card.tsx'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { NoteFacts } from '#web/components/Notes.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { RecipientWarnings } from '#web/components/RecipientWarnings.tsx'
import { ago, asSentence, formatAmount, plural } from '#web/lib/format.ts'
import { networkWarning, unitOf } from '#web/lib/networks.ts'
import type { DialogAction } from '#web/lib/useDialogAction.ts'
import { walletName } from '#web/queries/wallets.ts'
import { isPayout, type Payment } from './payment.ts'

/** Shows the payment, with warnings, before money moves. */
export function SendReview(props: {
  payment: Payment
  /** Undefined if it could not be loaded. */
  history: RecipientHistory | undefined
  sending: DialogAction<Payment>
  onBack: () => void
  onClose: () => void
}) {
  const { payment, history } = props
  /** If the outcome of an attempt is unknown, only the same payment can be tried again. */
  const { start, busy, problem, isUnknown: unknown, onStopWaiting } = props.sending
  const { wallet } = payment
  const what = isPayout(payment) ? 'payout' : 'payment'
  const amount = `${formatAmount(payment.amount)} ${unitOf(wallet.chain)}`
  /** A repeated payment needs a confirmation. */
  const [again, setAgain] = useState<'not asked' | 'missing' | 'yes'>('not asked')
  const repeated = !unknown && history?.sameAmountAt ? history.sameAmountAt : null

  function send() {
    if (repeated && again !== 'yes') setAgain('missing')
    else start(payment)
  }

  return (
    <Dialog
      title={`Review ${what}`}
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={busy || unknown}>
            Back
          </Button>
          <Button onClick={send} busy={busy}>
            {unknown ? 'Try again' : busy ? 'Sending...' : `Send ${amount}`}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {problem && (
          <ErrorBox>
            {unknown
              ? `${asSentence(problem)} We do not know whether the ${what} was accepted. Trying again is safe: it is paid at most once.`
              : problem}
          </ErrorBox>
        )}
        <div>
          <p className="mb-1 text-muted text-small">To</p>
          <div className="rounded-control bg-sunken px-4 py-3">
            {payment.contact && <p className="break-words font-semibold">{payment.contact.name}</p>}
            {payment.method === 'address' ? (
              <FullAddress address={payment.recipient} />
            ) : (
              <p className="break-all font-medium">{payment.recipient}</p>
            )}
          </div>
        </div>
        <RecipientWarnings
          method={payment.method}
          recipient={payment.recipient}
          isNamed={payment.contact !== null}
          history={history}
        />
        {repeated && (
          <Notice tone="warning">
            You sent {amount} to this recipient {ago(repeated, Date.now())}.
            <Checkbox
              label="Send it a second time"
              checked={again === 'yes'}
              disabled={busy}
              aria-invalid={again === 'missing' ? true : undefined}
              aria-describedby={again === 'missing' ? 'again-error' : undefined}
              onChange={(event) => setAgain(event.target.checked ? 'yes' : 'not asked')}
            />
            {again === 'missing' && (
              <p id="again-error" role="alert" className="font-medium">
                Check the box if you mean it.
              </p>
            )}
          </Notice>
        )}
        <dl className="divide-y divide-hairline">
          <Fact name="Amount">
            <span className="font-semibold">{amount}</span>
          </Fact>
          <Fact name="From">{walletName(wallet)}</Fact>
          <Fact name="Network">{networkWarning(wallet.chain)}</Fact>
          <Fact name="Network fee">Covered</Fact>
          <NoteFacts of={payment} />
          {isPayout(payment) && (
            <>
              <Fact name="Can be claimed for">{plural(payment.expiresInDays, 'day')}</Fact>
              <Fact name="Sender name">{payment.senderName || 'Not shown'}</Fact>
            </>
          )}
          <Fact name="Can it be undone?">
            {payment.method === 'address'
              ? 'No. Check the address four characters at a time.'
              : 'Yes: reclaim it any time until it is claimed.'}
          </Fact>
        </dl>
      </div>
    </Dialog>
  )
}
