import { ApiError } from './apiError.ts'

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
