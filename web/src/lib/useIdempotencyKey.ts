import { useRef, useState } from 'react'
import { ApiError, isOutcomeUnknown } from './apiError.ts'

const newKey = () => crypto.randomUUID()

/** Something was done under this key already: a new key might do it twice. */
const wasUsed = (error: unknown) => error instanceof ApiError && error.code === 'idempotency_key_reused'

/**
 * The idempotency key of one dialog: made when it opens and the same on every retry. Only a plain refusal, after which
 * nothing was done, gives the next attempt a new key.
 */
export function useIdempotencyKey() {
  const [initial] = useState(newKey)
  const key = useRef(initial)
  const renew = () => {
    key.current = newKey()
  }
  return {
    current: () => key.current,
    /** For the next attempt, after one that is known to have done nothing. */
    renew,
    /** Call it after each failed attempt. */
    onFailed: (error: unknown) => {
      if (!isOutcomeUnknown(error) && !wasUsed(error)) renew()
    },
  }
}
