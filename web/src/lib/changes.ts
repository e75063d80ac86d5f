import { ApiError } from './apiError.ts'
import { queryClient } from './queryClient.ts'

/** Wraps calls that change something: each resolves with its reply once `refresh` has fetched what it changed. */
export const refreshing =
  (refresh: () => Promise<unknown>) =>
  async <T>(call: Promise<T>): Promise<T> => {
    const reply = await call
    await refresh()
    return reply
  }

/** What no longer exists counts as deleted. */
export const orAlreadyDeleted = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error) => {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  })

const naming = ['wallets', 'groups', 'transactions', 'payouts', 'approvals', 'usage', 'overview']

/** Resolves with the reply once everything on screen that names wallets and agents has been read again. */
export const renamed = refreshing(() =>
  Promise.all(naming.map((key) => queryClient.invalidateQueries({ queryKey: [key] }))),
)
