import type { ApiCalls } from '#schemas/api.ts'
import { ApiError, messageOf } from './apiError.ts'
import { exchange } from './http.ts'
import { accessToken, clearSession, expiresSoon, refreshToken, storeTokens } from './tokens.ts'

let stopped = false
/**
 * Makes all further authenticated calls fail. The page stays visible below the session-expired notice, and another user
 * may have signed in in another tab.
 */
export const stopCalls = () => {
  stopped = true
}

/** Renews the session if it is about to expire, so that the next call is not refused. */
export async function renewIfExpiring(): Promise<void> {
  if (stopped) throw new ApiError(401, 'unauthenticated', sessionOver)
  if (refreshToken() && expiresSoon()) await renew()
}

/**
 * Runs an authenticated call. If the session is refused, renews it and retries the call once; if that fails too, ends the
 * session and throws the reason.
 */
export async function withSession<T>(run: () => Promise<T>): Promise<T> {
  await renewIfExpiring()
  try {
    return await run()
  } catch (error) {
    if (!isSessionProblem(error)) throw error
    const refusal = refreshToken() ? await renew(accessToken()) : error
    if (refusal === null) {
      try {
        return await run()
      } catch (again) {
        if (!isSessionProblem(again)) throw again
      }
    }
    endSession()
    throw refusal ?? error
  }
}

/**
 * A 401 or 403 whose message has one of these words means that the session has ended; not if an account or a mailbox that it
 * names has them.
 */
const isSessionProblem = (error: unknown) =>
  error instanceof ApiError &&
  (error.status === 401 || error.status === 403) &&
  /token|authentication|unauthorized|expired/i.test(error.message) &&
  !/^(Your role|This inv)/.test(error.message)

function endSession(): void {
  if (!accessToken()) return
  clearSession()
  dispatchEvent(new Event('session-expired'))
}

const sessionOver = 'Session expired. Please sign in again.'
let renewing: Promise<ApiError | null> | null = null

/**
 * Renews the tokens, one tab at a time: a tab that waited finds the other tab's new tokens in storage. `refused` is the
 * access token that the server refused, if any. Returns null, or the reason why the session can't be renewed.
 */
function renew(refused: string | null = null): Promise<ApiError | null> {
  renewing ??= withLock(async () => {
    const over = new ApiError(401, 'unauthenticated', sessionOver)
    if (refused ? accessToken() !== refused : !expiresSoon()) return accessToken() === null ? over : null
    const token = refreshToken()
    if (!token) return over
    try {
      const { data } = await exchange('POST', '/auth/cognito/refresh', { public: true, body: { refreshToken: token } })
      if (refreshToken() !== token) return over // signed out in the meantime
      storeTokens(data as ApiCalls['POST /auth/cognito/refresh']['reply'])
      return null
    } catch (error) {
      // The session may still be valid: the call itself will tell.
      if (!(error instanceof ApiError) || isTemporary(error.status)) return null
      return new ApiError(error.status, error.code, messageOf(error, sessionOver, 'Token refresh failed'))
    }
  }).finally(() => {
    renewing = null
  })
  return renewing
}

const isTemporary = (status: number) => status === 0 || status === 429 || status >= 500

/** Without a lock in browsers that have none, or do not let this site use them. */
async function withLock<T>(work: () => Promise<T>): Promise<T> {
  let result: Promise<T> | undefined
  const start = () => (result ??= work())
  await navigator.locks?.request('bursar-refresh', start).catch(() => undefined)
  return start()
}
