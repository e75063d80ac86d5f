import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { defaultExpiryDays } from '#domain/payoutExpiry.ts'
import type { SendValues } from '#domain/sendRules.ts'
import type { RecipientHistory } from '#schemas/transaction.ts'
import { PayoutCreated } from '../../../components/PayoutCreated.tsx'
import { ApiError, isOutcomeUnknown, messageOf } from '../../../lib/apiError.ts'
import { queryClient } from '../../../lib/queryClient.ts'
import { useSession } from '../../../lib/session.ts'
import { useIdempotencyKey } from '../../../lib/useIdempotencyKey.ts'
import { useSms } from '../../../queries/config.ts'
import { type Contact, contactsQuery, refreshContacts } from '../../../queries/contacts.ts'
import { type CreateEscrowReply, createPayout } from '../../../queries/payouts.ts'
import { recipientQuery, sendTransaction } from '../../../queries/transactions.ts'
import type { Wallet } from '../../../queries/wallets.ts'
import { emptyValues, methodsOf, type Payment } from './payment.ts'
import { SendForm } from './SendForm.tsx'
import { SendReview } from './SendReview.tsx'
import { SendStatus } from './SendStatus.tsx'

type Step =
  | { step: 'form'; problem?: { field: keyof SendValues; message: string } }
  /** `unknown`: the outcome of an attempt is unknown, so only the same payment can be tried again. */
  | { step: 'review'; reviewed: Reviewed; busy: boolean; error?: string; unknown?: boolean }
  | { step: 'sent'; payment: Payment; transactionId: string }
  | { step: 'payout'; payment: Payment; payout: CreateEscrowReply }
/** `history` is undefined when it could not be loaded. */
type Reviewed = { payment: Payment; history: RecipientHistory | undefined }

/** Sends USDC from a wallet, to `contact` if one is given: form, review, then its progress. */
export default function SendDialog(props: { wallet: Wallet; contact?: Contact; onClose: () => void }) {
  const { wallet, contact, onClose } = props
  const { user } = useSession()
  const [state, setState] = useState<Step>({ step: 'form' })
  const sms = useSms()
  const [values, setValues] = useState(() => (contact ? valuesFor(contact, sms) : emptyValues))
  const idempotencyKey = useIdempotencyKey()
  const busy = state.step === 'review' && state.busy
  useBlocker({ shouldBlockFn: () => busy, enableBeforeUnload: () => busy })

  /** Loads everything before the review opens: a warning that appeared later would move the buttons. */
  async function review(next: SendValues, payment: Payment) {
    const [history] = await Promise.all([
      queryClient.fetchQuery(recipientQuery(checkOf(payment))).catch(() => undefined),
      queryClient.ensureQueryData(contactsQuery).catch(() => undefined), // for look-alike addresses
    ])
    setValues(next)
    setState({ step: 'review', reviewed: { payment, history }, busy: false })
  }

  async function send(reviewed: Reviewed) {
    const { payment } = reviewed
    setState({ step: 'review', reviewed, busy: true })
    const { method, recipient, amount } = payment
    const optional = {
      ...(payment.memo ? { memo: payment.memo } : {}),
      ...(payment.contact ? { contactId: payment.contact.id } : {}),
    }
    try {
      if (method === 'address') {
        const input = { walletId: wallet.id, toAddress: recipient, amount, ...optional }
        const { id } = await sendTransaction(input, idempotencyKey.current())
        setState({ step: 'sent', payment, transactionId: id })
      } else {
        const input = {
          sourceWalletId: wallet.id,
          amount,
          ...(method === 'email' ? { recipientEmail: recipient } : { recipientPhone: recipient }),
          expiresInDays: defaultExpiryDays,
          ...optional,
          ...(user?.name ? { senderName: user.name } : {}),
        }
        setState({ step: 'payout', payment, payout: await createPayout(input, idempotencyKey.current()) })
      }
    } catch (error) {
      idempotencyKey.onFailed(error)
      const message = messageOf(error, method === 'address' ? 'Failed to send transaction' : 'Failed to create escrow')
      const field = isOutcomeUnknown(error) ? null : fieldOf(error, values.to)
      if (field === 'contactId') refreshContacts()
      setState(
        field
          ? { step: 'form', problem: { field, message } }
          : { step: 'review', reviewed, busy: false, error: message, unknown: isOutcomeUnknown(error) },
      )
    }
  }

  switch (state.step) {
    case 'form':
      return (
        <SendForm wallet={wallet} values={values} problem={state.problem ?? null} onClose={onClose} onReview={review} />
      )
    case 'review':
      return (
        <SendReview
          wallet={wallet}
          {...state.reviewed}
          busy={state.busy}
          error={state.error}
          unknown={state.unknown ?? false}
          onBack={() => setState({ step: 'form' })}
          onSend={() => send(state.reviewed)}
          onClose={onClose}
        />
      )
    case 'sent':
      return <SendStatus transactionId={state.transactionId} payment={state.payment} onClose={onClose} />
    case 'payout':
      return (
        <PayoutCreated
          payout={state.payout}
          amount={state.payment.amount}
          recipient={state.payment.recipient}
          channel={state.payment.method === 'phone' ? 'SMS' : 'email'}
          onClose={onClose}
        />
      )
  }
}

function checkOf({ method, recipient, amount }: Payment) {
  if (method === 'address') return { toAddress: recipient, amount }
  return method === 'email' ? { recipientEmail: recipient, amount } : { recipientPhone: recipient, amount }
}

function valuesFor(contact: Contact, sms: boolean): SendValues {
  const [only, ...others] = methodsOf(contact, sms)
  return { ...emptyValues, to: 'contact', contactId: contact.id, method: only && others.length === 0 ? only : '' }
}

/** The form's field for the server's refusal; null when there is none. */
function fieldOf(error: unknown, to: SendValues['to']): keyof SendValues | null {
  switch (error instanceof ApiError ? error.field : undefined) {
    case 'amount':
      return 'amount'
    case 'memo':
      return 'memo'
    case 'toAddress':
    case 'recipientEmail':
    case 'recipientPhone':
    case 'contactId':
      return to === 'contact' ? 'contactId' : to
    default:
      return null
  }
}
