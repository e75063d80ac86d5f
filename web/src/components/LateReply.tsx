import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../lib/apiError.ts'

const lateMs = 15_000 // 15 seconds

/**
 * For calls that lock a dialog. Calls have no timeout, so the user may stop waiting for a late reply. The call is then
 * treated as failed with an unknown outcome, but keeps running.
 */
export function useReply() {
  const [isLate, setIsLate] = useState(false)
  const stop = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  /** Returns the call's result. Throws ApiError when the user stops waiting. */
  const replyOf = useCallback(async <T,>(call: Promise<T>): Promise<T> => {
    timer.current = setTimeout(() => setIsLate(true), lateMs)
    try {
      return await Promise.race([
        call,
        new Promise<never>((_, reject) => {
          stop.current = () => reject(new ApiError(0, 'no_reply', 'The server has not replied. It may still succeed.'))
        }),
      ])
    } finally {
      clearTimeout(timer.current)
      setIsLate(false)
    }
  }, [])
  return {
    replyOf,
    /** Handler for the dialog; undefined until the reply is late. */
    onStopWaiting: isLate ? () => stop.current?.() : undefined,
  }
}

/** The bar above a dialog's buttons that offers to stop waiting. */
export const LateReply = (props: { onStopWaiting: () => void }) => (
  <div
    role="alert"
    className="flex flex-wrap items-center justify-between gap-x-4 bg-amber-tint px-5 py-2 text-amber text-small"
  >
    The server has not replied yet.
    <button
      type="button"
      onClick={props.onStopWaiting}
      className="min-h-6 rounded-sm font-medium underline underline-offset-3 pointer-coarse:min-h-11"
    >
      Stop waiting
    </button>
  </div>
)
