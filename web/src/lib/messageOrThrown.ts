import { ApiError, messageOf } from './apiError.ts'

/** Like `messageOf`, but an error that is not a server reply keeps its own message. */
export function messageOrThrown(error: unknown, fallback: string): string {
  const thrown = error instanceof Error && !(error instanceof ApiError) && error.message
  return thrown || messageOf(error, fallback)
}
