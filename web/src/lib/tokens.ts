import type { Tokens, User } from '#schemas/account.ts'
import { browserStorage, tabStorage } from './storage.ts'

/** Storage keys of a session, as specified; only the last is our own. `auth_token` holds the access token. */
const keys = {
  token: 'auth_token',
  user: 'auth_user',
  expiry: 'token_expiry',
  accessToken: 'cognito_access_token',
  idToken: 'cognito_id_token',
  refreshToken: 'cognito_refresh_token',
  accessExpiry: 'cognito_token_expiry',
  activity: 'last_activity',
} as const

const soonMs = 300_000 // 5 minutes

export const accessToken = () => browserStorage.get(keys.token)
export const refreshToken = () => browserStorage.get(keys.refreshToken)

/** Epoch ms; 0 if unknown. */
export const expiresAt = () => Number(browserStorage.get(keys.expiry) ?? 0)
export const expiresSoon = (now = Date.now()) => expiresAt() - now < soonMs

export function storeTokens(tokens: Tokens): void {
  const expiry = String(Date.now() + tokens.expiresIn * 1000)
  browserStorage.set(keys.token, tokens.accessToken)
  browserStorage.set(keys.expiry, expiry)
  browserStorage.set(keys.accessToken, tokens.accessToken)
  browserStorage.set(keys.idToken, tokens.idToken)
  browserStorage.set(keys.refreshToken, tokens.refreshToken)
  browserStorage.set(keys.accessExpiry, expiry)
}

/** `useCognito` says that the sign-in went through the directory service, as all sign-ins of this app do. */
export const storeUser = (user: User) => browserStorage.set(keys.user, JSON.stringify({ ...user, useCognito: true }))

/** The stored user, or null. A broken record is removed together with its tokens. */
export function storedUser(): User | null {
  try {
    return restoredUser()
  } catch {
    return null
  }
}

/** Like `storedUser`, but throws Error with the reason if there is none. */
export function restoredUser(): User {
  const text = browserStorage.get(keys.user)
  if (!text || !accessToken()) throw new Error('No stored user found')
  try {
    const user = JSON.parse(text) as User
    if (typeof user.id === 'string' && typeof user.email === 'string') return user
  } catch {}
  clearSession()
  throw new Error('Invalid stored user data')
}

const idleLimitMs = 43_200_000 // 12 hours

/** Epoch ms of the last mouse, key, scroll or touch activity in any tab; null if unknown. */
export const lastActivityAt = () => Number(browserStorage.get(keys.activity)) || null
/** Milliseconds until the session ends because of inactivity. */
export const idleLeftMs = () => (lastActivityAt() ?? Date.now()) + idleLimitMs - Date.now()
export const noteActivity = () => browserStorage.set(keys.activity, String(Date.now()))

/** Whether the browser does not store the session, so that no other document finds it. */
export const isSessionInMemory = () => Object.values(keys).some(browserStorage.isInMemory)

/** Where a tab keeps its last answers (answerStorage.ts), which end with the session. */
export const answersKey = 'kept_answers'
export const hasAnswers = () => tabStorage.get(answersKey) !== null
export const forgetAnswers = () => tabStorage.remove(answersKey)

export function clearSession(): void {
  for (const key of Object.values(keys)) browserStorage.remove(key)
}
