import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../lib/apiError.ts'

const lateMs = 15_000 // 15 seconds

/**
 * For calls that lock a dialog: calls have no time-out, so when a reply is late people may stop waiting for it. The call then
 * counts as failed with an unknown outcome, and goes on.
 */
export function useReply() {
  const [isLate, setIsLate] = useState(false)
  const stop = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  /** The call's outcome. Throws ApiError when stopped. */
  const replyOf = useCallback(async <T,>(call: Promise<T>): Promise<T> => {
    timer.current = setTimeout(() => setIsLate(true), lateMs)
    try {
      return await Promise.race([
        call,
        new Promise<never>((_, reject) => {
          stop.current = () => reject(new ApiError(0, 'no_reply', 'The server has not replied. It may still do this.'))
        }),
      ])
    } finally {
      clearTimeout(timer.current)
      setIsLate(false)
    }
  }, [])
  return {
    replyOf,
    /** For the dialog; undefined while there is no reason to stop. */
    onStopWaiting: isLate ? () => stop.current?.() : undefined,
  }
}

/** Above a dialog's buttons. */
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
