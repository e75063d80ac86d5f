import type { Tokens } from '../../../worker/schemas/account.ts'
import type { Failure, Page, Success } from '../../../worker/schemas/common.ts'
import { accessToken, clearSession, expiresSoon, refreshToken, storedUser, storeTokens } from './tokens.ts'

const base = '/api'
const bookmarkKey = 'd1_bookmark'
const unreachable = 'Cannot connect to server. Please ensure the backend is running on port 3001.'
const somethingWrong = 'Something went wrong'

/** A refused call. `message` is the sentence for people, `field` the input at fault; status 0 = no answer. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}

/** The sentence of a failure, or `fallback` when the server gave none; `refused` if it answered with no error status. */
export function messageOf(error: unknown, fallback = somethingWrong, refused = fallback): string {
  if (!(error instanceof ApiError)) return fallback
  if (error.message !== somethingWrong) return error.message
  return error.status < 300 ? refused : fallback
}

export const newIdempotencyKey = () => crypto.randomUUID()

export type Options = {
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
  /** Calls anyone may make: sent without identity, and a refusal never ends the session. */
  public?: boolean
  /** Sent to its end even when the page is left meanwhile. */
  keepalive?: boolean
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Body<T> = Success<T> & { page?: Page }

/** One call: JSON in, the unwrapped envelope out, ApiError otherwise. Renews the session when it is about to end. */
export async function call<T>(method: Method, path: string, options: Options = {}): Promise<Body<T>> {
  if (options.public) return attempt<T>(method, path, options)
  await renewed()
  try {
    return await attempt<T>(method, path, options)
  } catch (error) {
    if (!isSessionProblem(error)) throw error
    const refusal = refreshToken() ? await refresh(accessToken()) : error
    if (refusal === null) {
      try {
        return await attempt<T>(method, path, options)
      } catch (again) {
        if (!isSessionProblem(again)) throw again
      }
    }
    endSession()
    throw refusal ?? error
  }
}

/** Before a call that would come too late. */
export async function renewed(): Promise<void> {
  if (refreshToken() && expiresSoon()) await refresh()
}

async function attempt<T>(method: Method, path: string, options: Options): Promise<Body<T>> {
  const response = await ask(method, path, options)
  const body = (await response.json().catch(() => null)) as Body<T> | Failure | null
  if (response.ok && body?.success) return body
  throw refusalOf(response, body && !body.success ? body : null)
}

export const refusalOf = ({ status }: Response, failure: Failure | null) =>
  new ApiError(
    status,
    failure?.code ?? 'internal',
    failure?.message || failure?.error || somethingWrong,
    failure?.field,
  )

export async function ask(method: Method, path: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  const token = options.public ? null : accessToken()
  if (token) headers.Authorization = `Bearer ${token}`
  const user = options.public ? null : storedUser()
  if (user) headers['X-User-ID'] = user.id
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey
  const bookmark = sessionStorage.getItem(bookmarkKey)
  if (bookmark) headers['x-d1-bookmark'] = bookmark

  let response: Response
  try {
    response = await fetch(base + path, {
      method,
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.keepalive ? { keepalive: true } : {}),
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', unreachable)
  }
  const next = response.headers.get('x-d1-bookmark')
  if (next) sessionStorage.setItem(bookmarkKey, next)
  return response
}

/** The texts by which a 401 or 403 says that the session is over. */
const isSessionProblem = (error: unknown) =>
  error instanceof ApiError &&
  (error.status === 401 || error.status === 403) &&
  /token|authentication|unauthorized|expired/i.test(error.message)

function endSession(): void {
  if (!accessToken()) return
  clearSession()
  dispatchEvent(new Event('session-expired'))
}

const sessionOver = 'Session expired. Please sign in again.'
let refreshing: Promise<ApiError | null> | null = null

/**
 * Renew the tokens, one tab at a time: whoever waited finds the other tab's fresh ones in storage.
 * `refused` is the access token the server would not take, if that is why. Answers why there is no session to renew.
 */
function refresh(refused: string | null = null): Promise<ApiError | null> {
  refreshing ??= withLock(async () => {
    const over = new ApiError(401, 'unauthenticated', sessionOver)
    if (refused ? accessToken() !== refused : !expiresSoon()) return accessToken() === null ? over : null
    const token = refreshToken()
    if (!token) return over
    try {
      const { data } = await attempt<Tokens>('POST', '/auth/cognito/refresh', {
        public: true,
        body: { refreshToken: token },
      })
      if (refreshToken() !== token) return over // signed out meanwhile
      storeTokens(data)
      return null
    } catch (error) {
      // Without an answer the session may be fine: let the call itself find out.
      if (!(error instanceof ApiError) || isUnsure(error.status)) return null
      return new ApiError(error.status, error.code, messageOf(error, sessionOver, 'Token refresh failed'))
    }
  }).finally(() => {
    refreshing = null
  })
  return refreshing
}

const isUnsure = (status: number) => status === 0 || status === 429 || status >= 500

const withLock = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request('bursar-refresh', work) : work()

/** As `call`, but answers the data alone. */
const dataOf = async <T>(method: Method, path: string, options?: Options) => (await call<T>(method, path, options)).data

export const api = {
  get: <T>(path: string, options?: Options) => dataOf<T>('GET', path, options),
  post: <T>(path: string, body: unknown = {}, options?: Options) => dataOf<T>('POST', path, { ...options, body }),
  /** As `post`, for the sentence that the answer carries. */
  message: async (path: string, body: unknown, options?: Options) =>
    (await call<unknown>('POST', path, { ...options, body })).message,
  put: <T>(path: string, body: unknown, options?: Options) => dataOf<T>('PUT', path, { ...options, body }),
  patch: <T>(path: string, body: unknown, options?: Options) => dataOf<T>('PATCH', path, { ...options, body }),
  delete: <T>(path: string, options?: Options) => dataOf<T>('DELETE', path, options),
}
