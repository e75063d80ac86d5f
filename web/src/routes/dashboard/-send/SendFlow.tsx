import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { noteNames } from '#domain/paymentNotes.ts'
import type { SendValues } from '#domain/sendRules.ts'
import type { RecipientHistory } from '#schemas/transaction.ts'
import { PayoutCreated } from '#web/components/PayoutCreated.tsx'
import { ApiError, isOutcomeUnknown, messageOf } from '#web/lib/apiError.ts'
import { failureOf } from '#web/lib/failures.ts'
import { queryClient } from '#web/lib/queryClient.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { useKeptDraft } from '#web/lib/useDraft.ts'
import { contactMatchesQuery, refreshContacts } from '#web/queries/contacts.ts'
import { type CreatedPayout, createPayout } from '#web/queries/payouts.ts'
import { recipientQuery, sendTransaction } from '#web/queries/transactions.ts'
import { refreshWallets, type Wallet } from '#web/queries/wallets.ts'
import { isPayout, type Payment, recipientOf } from './payment.ts'
import type { Purpose } from './purposes.ts'
import { SendForm } from './SendForm.tsx'
import { SendReview } from './SendReview.tsx'
import { SendStatus } from './SendStatus.tsx'

type Step =
  | { step: 'form'; problem?: { field: keyof SendValues; message: string } }
  | { step: 'review'; reviewed: Reviewed }
  | { step: 'sent'; payment: Payment; transactionId: string }
  | { step: 'payout'; payment: Payment; payout: CreatedPayout }
/** `history` is undefined if it could not be loaded. */
type Reviewed = { payment: Payment; history: RecipientHistory | undefined }

/** Sends USDC: form, review, then progress. People send all payments and payouts through it. */
export function SendFlow(props: {
  purpose: Purpose
  /** Null if it is chosen in the form. */
  wallet: Wallet | null
  /** The form's initial values. */
  initial: SendValues
  onClose: () => void
}) {
  const { purpose, wallet, onClose } = props
  const [state, setState] = useState<Step>({ step: 'form' })
  const [values, setValues] = useState(props.initial)
  const sending = useDialogAction(pay, {
    fallback: (error, payment) =>
      isPayout(payment) ? failureOf(error, ...purpose.payoutFailures) : messageOf(error, 'Failed to send transaction'),
    onDone: setState,
    onFailed(error, message) {
      const field = isOutcomeUnknown(error) ? null : fieldOf(error, values.to, wallet)
      if (field === 'contactId') refreshContacts()
      if (field === 'amount') refreshWallets() // the form then shows what can be spent now, and what is arriving
      if (field) setState({ step: 'form', problem: { field, message } })
    },
  })
  // Text for one recipient or wallet must not come back in a form that was opened for another.
  const subject = JSON.stringify([wallet?.id, props.initial.contactId])
  // At the form itself, the form keeps what is typed.
  useKeptDraft(purpose.title, subject, () => ({
    values: state.step === 'review' ? values : {},
    initial: props.initial,
  }))
  const { busy } = sending
  useBlocker({ shouldBlockFn: () => busy, enableBeforeUnload: () => busy })

  /** Loads everything before the review opens: a warning that appeared later would move the buttons. */
  async function review(next: SendValues, payment: Payment) {
    const [history] = await Promise.all([
      queryClient.fetchQuery(recipientQuery(checkOf(payment))).catch(() => undefined),
      queryClient.fetchQuery(contactMatchesQuery(recipientOf(payment))).catch(() => undefined),
    ])
    setValues(next)
    sending.setProblem(undefined)
    setState({ step: 'review', reviewed: { payment, history } })
  }

  switch (state.step) {
    case 'form':
      return (
        <SendForm
          purpose={purpose}
          wallet={wallet}
          values={values}
          subject={subject}
          problem={state.problem ?? null}
          onClose={onClose}
          onReview={review}
        />
      )
    case 'review':
      return (
        <SendReview {...state.reviewed} sending={sending} onBack={() => setState({ step: 'form' })} onClose={onClose} />
      )
    case 'sent':
      return <SendStatus transactionId={state.transactionId} payment={state.payment} onClose={onClose} />
    case 'payout':
      return (
        <PayoutCreated
          payout={state.payout}
          amount={state.payment.amount}
          chain={state.payment.wallet.chain}
          recipient={state.payment.recipient}
          channel={state.payment.method === 'phone' ? 'SMS' : 'email'}
          onClose={onClose}
        />
      )
  }
}

/** Makes the payment and returns the step that shows its progress. */
async function pay(payment: Payment, idempotencyKey: string): Promise<Step> {
  const { wallet, method, recipient, amount } = payment
  const optional = {
    ...Object.fromEntries(noteNames.flatMap((name) => (payment[name] ? [[name, payment[name]]] : []))),
    ...(payment.contact ? { contactId: payment.contact.id } : {}),
  }
  if (method === 'address') {
    const input = { walletId: wallet.id, toAddress: recipient, amount, ...optional }
    return { step: 'sent', payment, transactionId: await sendTransaction(input, idempotencyKey) }
  }
  const input = {
    sourceWalletId: wallet.id,
    amount,
    ...(method === 'email' ? { recipientEmail: recipient } : { recipientPhone: recipient }),
    expiresInDays: payment.expiresInDays,
    ...optional,
    ...(payment.senderName ? { senderName: payment.senderName } : {}),
  }
  return { step: 'payout', payment, payout: await createPayout(input, idempotencyKey) }
}

function checkOf({ wallet, method, recipient, amount }: Payment) {
  const payment = { walletId: wallet.id, amount }
  if (method === 'address') return { toAddress: recipient, ...payment }
  return method === 'email' ? { recipientEmail: recipient, ...payment } : { recipientPhone: recipient, ...payment }
}

/** The form field that the server's refusal is about; null if there is none. */
function fieldOf(error: unknown, to: SendValues['to'], fixed: Wallet | null): keyof SendValues | null {
  const field = error instanceof ApiError ? error.field : undefined
  const note = noteNames.find((name) => name === field)
  if (note) return note
  switch (field) {
    case 'amount':
    case 'senderName':
    case 'expiresInDays':
      return field
    case 'toAddress':
    case 'recipientEmail':
    case 'recipientPhone':
    case 'contactId':
      return to === 'contact' ? 'contactId' : to
    case 'walletId':
    case 'sourceWalletId':
      return fixed === null ? 'walletId' : null
    default:
      return null
  }
}
