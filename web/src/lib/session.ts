import { useSyncExternalStore } from 'react'
import type { LoginReply, Tokens, User } from '../../../worker/schemas/account.ts'
import { ApiError, api } from './api.ts'
import { accessToken, clearSession, expiresAt, storedUser, storeTokens, storeUser, watchOtherTabs } from './tokens.ts'

type PasswordChallenge = { required: true; session: string; email: string }
type Session = { user: User | null; isLoading: boolean; passwordChallenge: PasswordChallenge | null }

let session: Session = { user: null, isLoading: false, passwordChallenge: null }
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
  addEventListener('session-expired', () => set({ user: null, isLoading: false }))
  watchOtherTabs(() => {
    if (session.user) dispatchEvent(new Event('session-expired'))
  })
  const user = storedUser()
  if (!user) return
  // Until a token that ran out has been renewed, nothing is worth showing.
  set({ user, isLoading: expiresAt() < Date.now() })
  api
    .get<User>(`/users/${encodeURIComponent(user.id)}`)
    .then((fresh) => session.user && keepUser(fresh))
    .catch(() => undefined) // no answer: the stored user stays; a refused token has ended the session already
    .finally(() => set({ isLoading: false }))
}

function keepUser(user: User): void {
  storeUser(user)
  set({ user, passwordChallenge: null })
}

/** Signs in, or leaves a password challenge in the session. */
export async function signIn(email: string, password: string): Promise<void> {
  const reply = await publicly<LoginReply>('/auth/cognito/login', { email, password })
  if ('challengeName' in reply) {
    set({ passwordChallenge: { required: true, session: reply.session, email: reply.email } })
    return
  }
  storeTokens(reply)
  keepUser(reply.user)
}

/** Answers the password challenge. */
export async function setNewPassword(newPassword: string): Promise<void> {
  if (!session.passwordChallenge) return
  const { email, session: challenge } = session.passwordChallenge
  const reply = await publicly<Tokens & { user: User }>('/auth/cognito/new-password', {
    email,
    session: challenge,
    newPassword,
  })
  storeTokens(reply)
  keepUser(reply.user)
}

export const dropChallenge = () => set({ passwordChallenge: null })

const publicly = <T>(path: string, body: unknown) => api.post<T>(path, body, { public: true })

export async function completeOnboarding(name: string, password: string): Promise<void> {
  const fields = await api.post<Partial<User>>('/users/complete-onboarding', { name, password })
  if (!session.user) throw new ApiError(401, 'unauthenticated', 'Session expired. Please sign in again.')
  keepUser({ ...session.user, ...fields, needsOnboarding: false, hasCompletedOnboarding: true })
}

export function signOut(): void {
  clearSession()
  set({ user: null, passwordChallenge: null })
}

/** Ends the session after inactivity, as if the server had. */
export function expireSession(): void {
  if (!accessToken()) return
  clearSession()
  dispatchEvent(new Event('session-expired'))
}
