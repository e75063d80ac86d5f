import { useEffect, useState } from 'react'
import { messageOf } from '../lib/apiError.ts'
import { Button } from './Button.tsx'

const cooldownSeconds = 60

/** A button that sends a new code, at most once a minute. `sent` is shown after success. */
export function Resend(props: {
  onSend: () => Promise<unknown>
  sent: string
  /** True if a code has just been sent. */
  cooling?: boolean
  disabled?: boolean
}) {
  const [left, setLeft] = useState(props.cooling ? cooldownSeconds : 0)
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<{ sent: boolean; text: string } | null>(null)
  const waiting = left > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  async function send() {
    if (busy || waiting) return
    setBusy(true)
    setResult(null)
    try {
      await props.onSend()
      setResult({ sent: true, text: props.sent })
      setLeft(cooldownSeconds)
    } catch (error) {
      setResult({ sent: false, text: messageOf(error, 'The code could not be sent. Please try again.') })
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="text-center">
      {/* aria-disabled keeps the focus, which a disabled button would lose. */}
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
        {result?.sent && result.text}
      </p>
      {result && !result.sent && (
        <p role="alert" className="mt-1.5 text-red text-small">
          {result.text}
        </p>
      )}
    </div>
  )
}
