import { useState } from 'react'
import { payoutProblems, type SendValues, sendProblems } from '#domain/sendRules.ts'
import { failures } from '#web/lib/failures.ts'
import { useSession } from '#web/lib/session.ts'
import { useSms } from '#web/queries/config.ts'
import type { Contact } from '#web/queries/contacts.ts'
import type { Wallet } from '#web/queries/wallets.ts'
import { emptyValues, methodsOf } from './payment.ts'
import { SendFlow } from './SendFlow.tsx'
import type { Purpose } from './SendForm.tsx'

/** Send, from one wallet. */
const send: Purpose = {
  title: 'Send USDC',
  tabs: ['address', 'email', 'phone', 'contact'],
  problems: sendProblems,
  payoutFailures: failures.sendPayout,
}

/** Create Payout, from a wallet chosen in the form. */
const createPayout: Purpose = {
  title: 'Create Payout',
  tabs: ['email', 'phone'],
  problems: payoutProblems,
  payoutFailures: ['Failed to create payout', failures.payout],
}

/** Sends USDC from a wallet, to `contact` if one is given. */
export default function SendDialog(props: { wallet: Wallet; contact?: Contact; onClose: () => void }) {
  const { wallet, contact, onClose } = props
  const { user } = useSession()
  const sms = useSms()
  const [initial] = useState(() => ({
    ...(contact ? valuesFor(contact, sms) : emptyValues),
    senderName: user?.name ?? '',
  }))
  return <SendFlow purpose={send} wallet={wallet} initial={initial} onClose={onClose} />
}

function valuesFor(contact: Contact, sms: boolean): SendValues {
  const [only, ...others] = methodsOf(contact, sms)
  return { ...emptyValues, to: 'contact', contactId: contact.id, method: only && others.length === 0 ? only : '' }
}

/** Sends a payout by email or SMS, from a wallet chosen in the form. */
export function CreatePayoutDialog(props: { onClose: () => void }) {
  const { user } = useSession()
  const [initial] = useState(() => ({ ...emptyValues, to: 'email' as const, senderName: user?.name ?? '' }))
  return <SendFlow purpose={createPayout} wallet={null} initial={initial} onClose={props.onClose} />
}
