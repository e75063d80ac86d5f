import { ApiError, messageOf } from './apiError.ts'

/** As `messageOf`; what is no reply of the server says its own message. */
export function messageOrThrown(error: unknown, fallback: string): string {
  const thrown = error instanceof Error && !(error instanceof ApiError) && error.message
  return thrown || messageOf(error, fallback)
}
