import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'

const closeAfterSeconds = 5

/** Leads to sign-in, by its button or after five seconds. */
export function SessionExpired(props: { onClose: () => void }) {
  const [left, setLeft] = useState(closeAfterSeconds)
  const onClose = useEffectEvent(props.onClose)

  useEffect(() => {
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [])

  useEffect(() => {
    if (left === 0) onClose()
  }, [left])

  return (
    <Dialog
      role="alertdialog"
      title="Session Expired"
      description="Your session has expired for security reasons. Please log in again to continue."
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Log In Again</Button>}
    >
      <p className="text-muted text-small" aria-live="off">
        Redirecting automatically in {left} {left === 1 ? 'second' : 'seconds'}...
      </p>
    </Dialog>
  )
}
