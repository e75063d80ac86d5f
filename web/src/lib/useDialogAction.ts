import { useEffect, useRef, useState } from 'react'
import { ApiError } from './apiError.ts'
import { type ActionOptions, useAction } from './useAction.ts'

const lateMs = 15_000 // 15 seconds

export type DialogAction<Input> = ReturnType<typeof useDialogAction<Input, unknown>>

/**
 * An action that locks its dialog. Calls have no timeout, so people may stop waiting for a late reply: the call keeps
 * running, and the action has failed with an unknown outcome.
 */
export function useDialogAction<Input = void, Result = unknown>(
  run: (input: Input, idempotencyKey: string) => Promise<Result>,
  options: ActionOptions<Input, Result> = {},
) {
  const { replyOf, onStopWaiting } = useReply()
  const action = useAction<Input, Result>((input, idempotencyKey) => replyOf(run(input, idempotencyKey)), options)
  return { ...action, onStopWaiting }
}

/**
 * `replyOf` returns a call's result, or throws an ApiError when people stop waiting for it. `onStopWaiting` is undefined until
 * the reply is late.
 */
export function useReply() {
  const [isLate, setIsLate] = useState(false)
  const stop = useRef<() => void>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  async function replyOf<T>(call: Promise<T>): Promise<T> {
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
  }
  return { replyOf, onStopWaiting: isLate ? () => stop.current?.() : undefined }
}
