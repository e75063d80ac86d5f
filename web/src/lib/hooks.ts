import { useEffect, useRef, useState } from 'react'
import { ApiError, newIdempotencyKey } from './api.ts'
import { appName } from './app.ts'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${appName}`
  }, [title])
}

/** Nothing is known of what became of a call: it may or may not have been done. */
export const isUnknown = (error: unknown) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500

/** Something was done under this key already: a new one might do it twice. */
const wasUsed = (error: unknown) => error instanceof ApiError && error.code === 'idempotency_key_reused'

/**
 * The idempotency key of one dialog: made when it opens, the same on every retry. Only after a plain refusal,
 * which means that nothing was done, does the next try get a new one.
 */
export function useIdempotencyKey() {
  const [initial] = useState(newIdempotencyKey)
  const key = useRef(initial)
  const renew = () => {
    key.current = newIdempotencyKey()
  }
  return {
    current: () => key.current,
    /** For the next attempt after one that is known to have come to nothing. */
    renew,
    refused: (error: unknown) => {
      if (!isUnknown(error) && !wasUsed(error)) renew()
    },
  }
}

/** True once `ms` have passed since the first render. */
export function useElapsed(ms: number): boolean {
  const [elapsed, setElapsed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setElapsed(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return elapsed
}
