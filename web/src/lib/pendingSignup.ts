import { storedEmail } from '#domain/email.ts'
import { browserStorage } from './storage.ts'

/**
 * The unconfirmed sign-up that this browser started. Its token tells the server that the password chosen here is the
 * owner's, in case someone else signs up the same address. Kept for other tabs too, because the link in the email opens in a
 * new tab.
 */
const key = 'pending_signup'
const keptMs = 7 * 24 * 60 * 60_000 // 7 days, as long as the server keeps a sign-up

type PendingSignup = { email: string; signupToken: string /** Epoch ms. */; at: number }

export function keepSignup(email: string, signupToken: string): void {
  const pending: PendingSignup = { email: storedEmail(email) ?? '', signupToken, at: Date.now() }
  browserStorage.set(key, JSON.stringify(pending))
}

/** The token to send in a confirmation's body. `email` is missing for a link, whose address the browser does not know. */
export function pendingSignupToken(email?: string): { signupToken?: string } {
  try {
    const pending = JSON.parse(browserStorage.get(key) ?? 'null') as PendingSignup | null
    if (typeof pending?.signupToken !== 'string' || !(Date.now() - pending.at < keptMs)) return {}
    if (email !== undefined && storedEmail(email) !== pending.email) return {}
    return { signupToken: pending.signupToken }
  } catch {
    return {}
  }
}

export const forgetSignup = () => browserStorage.remove(key)
