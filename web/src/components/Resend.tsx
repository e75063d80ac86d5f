import { useEffect, useState } from 'react'
import { messageOf } from '../lib/api.ts'
import { Button } from './Button.tsx'

const apartSeconds = 60

/** Asks for another code, once a minute; says that it left, or why not. `cooling`: one has just been sent. */
export function Resend(props: { onSend: () => Promise<unknown>; sent: string; cooling?: boolean; disabled?: boolean }) {
  const [left, setLeft] = useState(props.cooling ? apartSeconds : 0)
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState<{ sent: boolean; text: string } | null>(null)
  const waiting = left > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  async function send() {
    if (busy || waiting) return
    setBusy(true)
    setSaid(null)
    try {
      await props.onSend()
      setSaid({ sent: true, text: props.sent })
      setLeft(apartSeconds)
    } catch (error) {
      setSaid({ sent: false, text: messageOf(error, 'The code could not be sent. Please try again.') })
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="text-center">
      {/* Disabled by attribute alone it would drop the focus of who just pressed it. */}
      <Button
        look="quiet"
        aria-disabled={busy || waiting}
        disabled={props.disabled}
        onClick={send}
        className="w-full aria-disabled:text-muted"
      >
        {waiting ? `Send a new code in ${left} s` : 'Send a new code'}
      </Button>
      <p role="status" className="mt-1.5 text-muted text-small">
        {said?.sent && said.text}
      </p>
      {said && !said.sent && (
        <p role="alert" className="mt-1.5 text-red text-small">
          {said.text}
        </p>
      )}
    </div>
  )
}
