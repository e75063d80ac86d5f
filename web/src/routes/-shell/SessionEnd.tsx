import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { expiredText } from '#web/lib/expiredText.ts'
import { plural } from '#web/lib/format.ts'
import { warnMs } from '#web/lib/inactivity.ts'
import { idleLeftMs } from '#web/lib/tokens.ts'

/** Two minutes before the session ends because of inactivity. */
export function StillThere(props: { onStay: () => void }) {
  const [leftMs, setLeftMs] = useState(idleLeftMs)
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(idleLeftMs()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <Dialog
      role="alertdialog"
      title="Are you still there?"
      description="You have not been active for almost 12 hours. For security you will be signed out soon."
      onClose={props.onStay}
      closable={false}
      footer={
        <Button data-first onClick={props.onStay}>
          Stay signed in
        </Button>
      }
    >
      <p role="timer" className="text-muted text-small">
        {leftMs > warnMs ? 'You stay signed in.' : `Signing out in ${countdown(leftMs)}.`}
      </p>
    </Dialog>
  )
}

function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

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
