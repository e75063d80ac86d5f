import { clsx } from 'clsx'
import { type ChangeEvent, type ComponentProps, useEffect, useState } from 'react'
import { codeInField } from '#domain/readers/code.ts'
import { useAction } from '../lib/useAction.ts'
import { Button } from './Button.tsx'
import { Input } from './Field.tsx'

type CodeInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

/** A field for the six digits of an email or SMS, in any script. Accepts a pasted '123 456', alone or in a sentence. */
export function CodeInput(props: CodeInputProps) {
  const { value, onChange, className, ...rest } = props
  /** Set while an input method composes digits: to replace them would make it begin again. */
  const [composed, setComposed] = useState<string | null>(null)

  function enter(event: ChangeEvent<HTMLInputElement>) {
    setComposed(null)
    event.target.value = codeInField(event.target.value, value)
    onChange(event)
  }

  return (
    <Input
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="······"
      {...rest}
      value={composed ?? value}
      className={clsx('h-14! text-center font-mono text-[24px]! tracking-[0.35em]', className)}
      onChange={(event) =>
        (event.nativeEvent as InputEvent).isComposing ? setComposed(event.target.value) : enter(event)
      }
      onCompositionEnd={(event) => enter({ ...event, target: event.currentTarget } as never)}
    />
  )
}

const cooldownSeconds = 60

/** A button that sends a new code, at most once a minute. `sent` is shown after success. */
export function Resend(props: {
  onSend: () => Promise<unknown>
  sent: string
  /** True if a code has just been sent. */
  cooling?: boolean
  /** Why none can be sent yet. A press says it. */
  missing?: string | false
}) {
  const { missing } = props
  const [left, setLeft] = useState(props.cooling ? cooldownSeconds : 0)
  const [isSent, setIsSent] = useState(false)
  const [isEarly, setEarly] = useState(false)
  const { start, busy, problem } = useAction(props.onSend, {
    fallback: 'The code could not be sent. Please try again.',
    onDone() {
      setIsSent(true)
      setLeft(cooldownSeconds)
    },
  })
  const waiting = left > 0

  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000)
    return () => clearInterval(timer)
  }, [waiting])

  function send() {
    if (busy || waiting) return
    setEarly(Boolean(missing))
    if (missing) return
    setIsSent(false)
    start()
  }

  return (
    <div className="text-center">
      {/* aria-disabled keeps the focus, which a disabled button would lose. */}
      <Button
        look="quiet"
        aria-disabled={busy || waiting || Boolean(missing)}
        onClick={send}
        className="w-full aria-disabled:text-muted"
      >
        {waiting ? `Send a new code in ${left} s` : 'Send a new code'}
      </Button>
      <p role="status" className="mt-1.5 text-muted text-small">
        {isEarly && missing ? missing : isSent && props.sent}
      </p>
      {problem && (
        <p role="alert" className="mt-1.5 text-red text-small">
          {problem}
        </p>
      )}
    </div>
  )
}
