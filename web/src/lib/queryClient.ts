import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './apiError.ts'

/** Retries once after a lost reply or a server error, never after a refusal. */
const once = (failures: number, error: Error) =>
  failures < 1 && !(error instanceof ApiError && error.status >= 400 && error.status < 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: once, refetchOnWindowFocus: false, gcTime: 5 * 60_000, staleTime: 5_000 },
    mutations: { retry: once },
  },
})
