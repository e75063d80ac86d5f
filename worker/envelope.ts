/** The body of every successful reply under /api. Failures are rendered by middleware/failures.ts. */
export const success = <T>(data: T, message?: string) => ({
  success: true as const,
  data,
  ...(message ? { message } : {}),
})
