import { useState } from 'react'
import type { SendValues } from '#domain/sendRules.ts'
import { useSession } from '#web/lib/session.ts'
import { useSms } from '#web/queries/config.ts'
import type { Contact } from '#web/queries/contacts.ts'
import type { Wallet } from '#web/queries/wallets.ts'
import { emptyValues, methodsOf } from './payment.ts'
import { send } from './purposes.ts'
import { SendFlow } from './SendFlow.tsx'

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
