/** The body of every successful response under /api. middleware/failures.ts renders failures. */
export const success = <T>(data: T, message?: string) => ({
  success: true as const,
  data,
  ...(message ? { message } : {}),
})
