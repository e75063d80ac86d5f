import { useState } from 'react'
import { useSession } from '#web/lib/session.ts'
import { emptyValues } from '../-send/payment.ts'
import { createPayout } from '../-send/purposes.ts'
import { SendFlow } from '../-send/SendFlow.tsx'

/** Sends a payout by email or SMS, from a wallet chosen in the form. */
export default function CreatePayoutDialog(props: { onClose: () => void }) {
  const { user } = useSession()
  const [initial] = useState(() => ({ ...emptyValues, to: 'email' as const, senderName: user?.name ?? '' }))
  return <SendFlow purpose={createPayout} wallet={null} initial={initial} onClose={props.onClose} />
}
