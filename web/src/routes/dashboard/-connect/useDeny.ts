import { ApiError } from '#web/lib/apiError.ts'
import { useAction } from '#web/lib/useAction.ts'
import { type ConnectionRequest, denyConnection } from '#web/queries/connections.ts'

/** How a request was answered; `redirect` leads back to the app, null for a device. */
export type Answer = { kind: 'allowed' | 'denied'; redirect: string | null }

/** The request can no longer be answered. */
export const hasEnded = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 410 || error.status === 404)

/** Refuses a request, and tells the app. */
export const useDeny = (props: {
  request: ConnectionRequest
  onAnswered: (answer: Answer) => void
  onEnded: (error: ApiError) => void
}) =>
  useAction(() => denyConnection(props.request.id), {
    fallback: 'The app could not be refused. Please try again.',
    onFailed(error) {
      if (hasEnded(error)) props.onEnded(error)
      return undefined
    },
    onDone: ({ redirect }) => props.onAnswered({ kind: 'denied', redirect }),
    leaves: true,
  })
