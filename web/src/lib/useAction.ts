import { useRef, useState } from 'react'
import { ApiError, isOutcomeUnknown, messageOf } from './apiError.ts'

export type ActionOptions<Input, Result> = {
  /** The message if the server gives no reason, or a function that builds the message from the error. */
  fallback?: string | ((error: unknown, input: Input) => string)
  onDone?: (result: Result, input: Input) => void
  /** Returns true if the failure needs no message. */
  onFailed?: (error: unknown, message: string, input: Input) => boolean | undefined
  /** Shown until the action is started. */
  initialProblem?: string | undefined
  /** Success leaves the screen, so the action stays busy until then. */
  leaves?: boolean
}

export type Action<Input> = ReturnType<typeof useAction<Input, unknown>>

/**
 * An action that people start. Its idempotency key is created with the component, usually when a dialog opens, and is the
 * same for every retry; only a refusal, which had no effect, gives the next attempt a new key, unless an earlier attempt with
 * this key may have had one.
 */
export function useAction<Input = void, Result = unknown>(
  run: (input: Input, idempotencyKey: string) => Promise<Result>,
  { fallback, onDone, onFailed, initialProblem, leaves = false }: ActionOptions<Input, Result> = {},
) {
  const key = useRef<string>(undefined)
  key.current ??= crypto.randomUUID()
  const [running, setRunning] = useState<{ input: Input } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [problem, setProblem] = useState(initialProblem)

  /** Whether an attempt with this key may have taken effect. A refusal of a later attempt says nothing about it. */
  const mayHaveActed = useRef(false)

  const renewKey = () => {
    key.current = crypto.randomUUID()
    mayHaveActed.current = false
  }

  async function start(input: Input): Promise<void> {
    setRunning({ input })
    setError(null)
    setProblem(undefined)
    try {
      const result = await run(input, key.current!)
      mayHaveActed.current = false
      if (!leaves) setRunning(null)
      onDone?.(result, input)
    } catch (failure) {
      const message = typeof fallback === 'function' ? fallback(failure, input) : messageOf(failure, fallback)
      mayHaveActed.current ||= isOutcomeUnknown(failure)
      if (!mayHaveActed.current && hadNoEffect(failure)) renewKey()
      setRunning(null)
      setError(failure)
      if (!onFailed?.(failure, message, input)) setProblem(message)
    }
  }
  return {
    start,
    busy: running !== null,
    /** What the action was started with; undefined unless it is busy. */
    input: running?.input,
    /** Why it failed, in words. */
    problem,
    setProblem,
    error,
    /** Whether it may have taken effect, although it failed. */
    isUnknown: problem !== undefined && error !== null && mayHaveActed.current,
    /** For what is known to have had no effect, although the call succeeded. */
    renewKey,
  }
}

/** False also if the key was used before: a new key might repeat what that request did. */
const hadNoEffect = (error: unknown) =>
  !isOutcomeUnknown(error) && !(error instanceof ApiError && error.code === 'idempotency_key_reused')
