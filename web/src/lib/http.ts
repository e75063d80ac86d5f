import type { Failure, Page, Success } from '#schemas/common.ts'
import { actingFor } from './actingFor.ts'
import { ApiError, apiErrorOf } from './apiError.ts'
import { tabStorage } from './storage.ts'
import { accessToken, storedUser } from './tokens.ts'

const base = '/api'
const bookmarkKey = 'd1_bookmark'

/** Only a developer on localhost can start the backend, so others get a different text. */
export const unreachableText = (hostname: string) =>
  hostname === 'localhost' || hostname === '127.0.0.1'
    ? 'Cannot connect to server. Please ensure the backend is running on port 3001.'
    : 'Cannot connect to server. Check your connection and try again.'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type HttpOptions = {
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
  /** Needs no session, so a refusal does not end one. */
  public?: boolean
  /** Completes even if the user leaves the page in the meantime. */
  keepalive?: boolean
}

/** Returns the envelope of a successful reply. Throws ApiError otherwise, or the abort error of `signal`. */
export async function exchange(
  method: Method,
  path: string,
  options: HttpOptions,
): Promise<Success<unknown> & { page?: Page }> {
  const response = await http.send(method, path, options)
  const body = (await response.json().catch(() => null)) as Success<unknown> | Failure | null
  if (response.ok && body?.success) return body
  throw apiErrorOf(response, body?.success ? null : body)
}

/** Calls that were started before the code that needs them was there, by path. */
const early = new Map<string, Promise<Response>>()
const earlyForMs = 10_000 // 10 seconds

/**
 * Starts a call whose reply the next GET of this path takes over, if it comes within ten seconds. `response`: the reply, if
 * it is there already.
 */
export function startEarly(path: string, response = request('GET', path, {})): Promise<Response> {
  response.catch(() => undefined) // reported to whoever takes it over
  early.set(path, response)
  setTimeout(() => early.delete(path), earlyForMs)
  return response
}

/** With the credentials of a session, if there is one, and the last reply's bookmark, from which D1 reads. */
function request(method: Method, path: string, options: HttpOptions): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  const token = accessToken()
  if (token) headers.Authorization = `Bearer ${token}`
  const user = storedUser()
  if (user) headers['X-User-ID'] = user.id
  const account = actingFor()
  if (account) headers['X-Account-ID'] = account.id
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey
  const bookmark = tabStorage.get(bookmarkKey)
  if (bookmark) headers['x-d1-bookmark'] = bookmark
  return fetch(base + path, {
    method,
    headers,
    body: JSON.stringify(options.body), // undefined stays undefined
    signal: options.signal ?? null,
    keepalive: options.keepalive ?? false,
  })
}

/** Sends one request. */
async function send(method: Method, path: string, options: HttpOptions): Promise<Response> {
  const started = method === 'GET' ? early.get(path) : undefined
  early.delete(path)
  let response: Response
  try {
    response = await (started ?? request(method, path, options))
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', unreachableText(location.hostname))
  }
  const next = response.headers.get('x-d1-bookmark')
  if (next) tabStorage.set(bookmarkKey, next)
  return response
}
/** The dashboard replaces it by one that waits while there are too many calls (lib/repeat.ts). */
export const http = { send }
