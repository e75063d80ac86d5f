import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { PayoutCreated } from '../../../components/PayoutCreated.tsx'
import { messageOf } from '../../../lib/api.ts'
import { isUnknown, useIdempotencyKey } from '../../../lib/hooks.ts'
import { useSession } from '../../../lib/session.ts'
import { type CreateEscrowReply, type CreatePayoutInput, createPayout } from '../../../queries/payouts.ts'
import { sendTransaction } from '../../../queries/transactions.ts'
import type { Wallet } from '../../../queries/wallets.ts'
import { SendForm, type SendValues } from './SendForm.tsx'
import { SendReview } from './SendReview.tsx'
import { SendStatus } from './SendStatus.tsx'

type Step =
  | { step: 'form' }
  /** `unknown`: an attempt got no answer; only the same payment may be tried again. */
  | { step: 'review'; busy: boolean; error?: string; unknown?: boolean }
  | { step: 'sent'; transactionId: string }
  | { step: 'payout'; payout: CreateEscrowReply }

const payoutDays = 30

/** Send USDC from one wallet: what, look it over, follow it to the end. */
export default function SendDialog(props: { wallet: Wallet; onClose: () => void }) {
  const { wallet, onClose } = props
  const { user } = useSession()
  const [state, setState] = useState<Step>({ step: 'form' })
  const [values, setValues] = useState<SendValues>({ to: 'address', address: '', email: '', amount: '', memo: '' })
  const idempotencyKey = useIdempotencyKey()
  const busy = state.step === 'review' && state.busy
  useBlocker({ shouldBlockFn: () => busy, enableBeforeUnload: () => busy })

  async function send() {
    setState({ step: 'review', busy: true })
    const memo = values.memo.trim() ? { memo: values.memo.trim() } : {}
    try {
      if (values.to === 'address') {
        const input = { walletId: wallet.id, toAddress: values.address, amount: values.amount, ...memo }
        const { id } = await sendTransaction(input, idempotencyKey.current())
        setState({ step: 'sent', transactionId: id })
      } else {
        const input: CreatePayoutInput = {
          sourceWalletId: wallet.id,
          amount: values.amount,
          recipientEmail: values.email,
          expiresInDays: payoutDays,
          ...memo,
          ...(user?.name ? { senderName: user.name } : {}),
        }
        setState({ step: 'payout', payout: await createPayout(input, idempotencyKey.current()) })
      }
    } catch (error) {
      idempotencyKey.refused(error)
      const fallback = values.to === 'address' ? 'Failed to send transaction' : 'Failed to create escrow'
      setState({ step: 'review', busy: false, error: messageOf(error, fallback), unknown: isUnknown(error) })
    }
  }

  switch (state.step) {
    case 'form':
      return (
        <SendForm
          wallet={wallet}
          values={values}
          onClose={onClose}
          onReview={(next) => {
            setValues(next)
            setState({ step: 'review', busy: false })
          }}
        />
      )
    case 'review':
      return (
        <SendReview
          wallet={wallet}
          values={values}
          busy={state.busy}
          error={state.error}
          unknown={state.unknown ?? false}
          onBack={() => setState({ step: 'form' })}
          onSend={send}
          onClose={onClose}
        />
      )
    case 'sent':
      return <SendStatus transactionId={state.transactionId} amount={values.amount} onClose={onClose} />
    case 'payout':
      return <PayoutCreated payout={state.payout} amount={values.amount} recipient={values.email} onClose={onClose} />
  }
}
