import { api } from './api.ts'
import { getSession, set, storeSession } from './session.ts'

/** Completes the password challenge, which signs the user in. In a separate module, because the sign-in page seldom needs it. */
export async function setNewPassword(newPassword: string, connectionRequest?: string): Promise<void> {
  const { passwordChallenge } = getSession()
  if (!passwordChallenge) return
  const { email, session } = passwordChallenge
  const body = { email, session, newPassword, connectionRequest }
  storeSession(await api('POST /auth/cognito/new-password', { public: true, body }))
}

export const dropChallenge = () => set({ passwordChallenge: null })
