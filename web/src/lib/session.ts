import { useSyncExternalStore } from 'react'
import type { LoginReply, Tokens, User } from '../../../worker/schemas/account.ts'
import { api } from './api.ts'
import {
  accessToken,
  clearSession,
  expiresAt,
  idleLeftMs,
  noteActivity,
  refreshToken,
  storedUser,
  storeTokens,
  storeUser,
} from './tokens.ts'

type PasswordChallenge = { required: true; session: string; email: string }
type Session = {
  user: User | null
  isLoading: boolean
  /** The session ended by itself, not by a sign-out. */
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

function set(change: Partial<Session>): void {
  session = { ...session, ...change }
  for (const listener of listeners) listener()
}

/** Restore the session from storage and ask the server whether it still holds. Called once, before the first render. */
export function startSession(): void {
  addEventListener('session-expired', () => set({ user: null, isLoading: false, expired: true }))
  watchOtherTabs()
  const user = storedUser()
  if (!user) return
  if (idleLeftMs() <= 0) {
    clearSession()
    return
  }
  // Until a token that ran out has been renewed, nothing is worth showing.
  set({ user, isLoading: expiresAt() < Date.now() })
  api
    .get<User>(`/users/${encodeURIComponent(user.id)}`)
    .then((fresh) => session.user && keepUser(fresh))
    .catch(() => undefined) // no answer: the stored user stays; a refused token has ended the session already
    .finally(() => set({ isLoading: false }))
}

/** Another tab that ends the session, or makes it someone else's, ends it here too: at once when it was a sign-out. */
function watchOtherTabs(): void {
  addEventListener('storage', () => {
    if (session.user && storedUser()?.id !== session.user.id) dispatchEvent(new Event('session-expired'))
  })
  signOuts().onmessage = () => set({ user: null, expired: false })
}

const signOuts = () => new BroadcastChannel('bursar-sign-out')

/** The signed-in user as the server now has it, in state and in storage. */
export function keepUser(user: User): void {
  storeUser(user)
  set({ user, passwordChallenge: null })
}

/** A new session starts its inactivity anew. */
function begin(reply: Tokens & { user: User }): void {
  storeTokens(reply)
  noteActivity()
  keepUser(reply.user)
}

/** Signs in, or leaves a password challenge in the session. */
export async function signIn(email: string, password: string): Promise<void> {
  const reply = await api.post<LoginReply>('/auth/cognito/login', { email, password }, { public: true })
  if ('challengeName' in reply) {
    set({ passwordChallenge: { required: true, session: reply.session, email: reply.email } })
    return
  }
  begin(reply)
}

/** Answers the password challenge. */
export async function setNewPassword(newPassword: string): Promise<void> {
  if (!session.passwordChallenge) return
  const { email, session: challenge } = session.passwordChallenge
  const reply = await api.post<Tokens & { user: User }>(
    '/auth/cognito/new-password',
    { email, session: challenge, newPassword },
    { public: true },
  )
  begin(reply)
}

export const dropChallenge = () => set({ passwordChallenge: null })

export function signOut(): void {
  forgetSession()
  set({ user: null, expired: false, passwordChallenge: null })
  signOuts().postMessage(null)
}

/** Ends the session after inactivity, as if the server had. */
export function expireSession(): void {
  if (!accessToken()) return
  forgetSession()
  dispatchEvent(new Event('session-expired'))
}

/** Here at once; the server forgets it as well when it can be reached. */
function forgetSession(): void {
  const token = refreshToken()
  clearSession()
  if (!token) return
  const options = { public: true, keepalive: true }
  api.post('/auth/cognito/sign-out', { refreshToken: token }, options).catch(() => undefined)
}
