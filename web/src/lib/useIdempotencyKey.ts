import { useRef, useState } from 'react'
import { ApiError, isOutcomeUnknown } from './apiError.ts'

const newKey = () => crypto.randomUUID()

/** A request with this key has already taken effect; a new key might repeat it. */
const wasUsed = (error: unknown) => error instanceof ApiError && error.code === 'idempotency_key_reused'

/**
 * The idempotency key of one dialog: created when it opens and the same for every retry. Only a plain refusal, which had
 * no effect, gives the next attempt a new key.
 */
export function useIdempotencyKey() {
  const [initial] = useState(newKey)
  const key = useRef(initial)
  const renew = () => {
    key.current = newKey()
  }
  return {
    current: () => key.current,
    /** Makes a new key for the next attempt, after one that is known to have had no effect. */
    renew,
    /** Call it after each failed attempt. */
    onFailed: (error: unknown) => {
      if (!isOutcomeUnknown(error) && !wasUsed(error)) renew()
    },
  }
}
