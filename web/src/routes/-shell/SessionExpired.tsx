import { useEffect, useEffectEvent, useState } from 'react'
import { plural } from '#domain/words.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { expiredText } from '#web/lib/expiredText.ts'

const closeAfterSeconds = 5
const redirecting = 'Redirecting automatically in 5 seconds...'

/** Leads to sign-in when its button is pressed or after five seconds. */
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
      description={expiredText}
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Log In Again</Button>}
    >
      <p className="text-muted text-small" aria-live="off">
        {redirecting.replace('5 seconds', plural(left, 'second'))}
      </p>
    </Dialog>
  )
}
