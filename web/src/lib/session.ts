import { useSyncExternalStore } from 'react'
import type { SignedIn, User } from '#schemas/account.ts'
import { api } from './api.ts'
import { stopCalls } from './renewal.ts'
import {
  accessToken,
  clearSession,
  expiresAt,
  forgetAnswers,
  idleLeftMs,
  noteActivity,
  refreshToken,
  storedUser,
  storeTokens,
  storeUser,
} from './tokens.ts'

type PasswordChallenge = { session: string; email: string }
type Session = {
  user: User | null
  isLoading: boolean
  /** True if the session ended without a sign-out. */
  expired: boolean
  passwordChallenge: PasswordChallenge | null
}

let session: Session = { user: null, isLoading: false, expired: false, passwordChallenge: null }
const listeners = new Set<() => void>()

export const getSession = () => session
export const useSession = () => useSyncExternalStore(subscribe, getSession)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** For sign-ins and sign-outs (lib/newPassword.ts, lib/signOut.ts). A session that ends takes the answers of this tab with it. */
export function set(change: Partial<Session>): void {
  if (change.user === null) forgetAnswers()
  session = { ...session, ...change }
  for (const listener of listeners) listener()
}

/**
 * Restores the session from storage and asks the server whether it is still valid. Called once, before the first
 * render.
 */
export function startSession(): void {
  addEventListener('session-expired', () => {
    stopCalls()
    set({ user: null, isLoading: false, expired: true })
  })
  watchOtherTabs()
  const user = storedUser()
  if (!user) {
    forgetAnswers() // the session has ended while another page was here
    return
  }
  if (idleLeftMs() <= 0) {
    expireSession()
    return
  }
  // While an expired token is being renewed, no page can load anything.
  set({ user, isLoading: expiresAt() < Date.now() })
  api('GET /users/:userId', { params: { userId: user.id } })
    // Not if it has ended meanwhile, or another tab has signed in another user.
    .then((fresh) => storedUser()?.id === fresh.id && keepUser(fresh))
    .catch(() => undefined) // Without a reply the stored user stays. A refused token has already ended the session.
    .finally(() => set({ isLoading: false }))
}

/** A session that ended in another tab, or changed its user there, expires here. Sign-outs: lib/signOut.ts. */
function watchOtherTabs(): void {
  addEventListener('storage', () => {
    if (session.user && storedUser()?.id !== session.user.id) dispatchEvent(new Event('session-expired'))
  })
}

/** Stores the server's version of the user, in state and in storage. */
export function keepUser(user: User): void {
  storeUser(user)
  set({ user, passwordChallenge: null })
}

/** Starts a session, which counts as activity. */
export function storeSession(reply: SignedIn): void {
  storeTokens(reply)
  noteActivity()
  keepUser(reply.user)
}

/**
 * Signs in. For an account with a temporary password, sets a password challenge instead. `connectionRequest`: the app's request
 * for which the person signs in.
 */
export async function signIn(email: string, password: string, connectionRequest?: string): Promise<void> {
  const body = { email, password, connectionRequest }
  const reply = await api('POST /auth/cognito/login', { public: true, body })
  if ('challengeName' in reply) {
    set({ passwordChallenge: reply })
    return
  }
  storeSession(reply)
}

/** Ends the session after inactivity, as if the server had. */
export function expireSession(): void {
  if (!accessToken()) return
  forgetSession()
  dispatchEvent(new Event('session-expired'))
}

/** Ends the session here immediately, and on the server if it can be reached. */
export function forgetSession(): void {
  const token = refreshToken()
  clearSession()
  if (!token) return
  const input = { public: true, keepalive: true, body: { refreshToken: token } } as const
  api('POST /auth/cognito/sign-out', input).catch(() => undefined)
}
