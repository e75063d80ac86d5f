import { storedEmail } from '#domain/email.ts'
import { returnPathOf } from './search.ts'

/**
 * The unconfirmed sign-up that this browser started. Its token tells the server that the password chosen here is the
 * owner's, in case someone else signs up the same address. Kept in localStorage, because the link in the email opens in a
 * new tab, with the path that waits for the sign-in, such as an app's request.
 */
const key = 'pending_signup'
const keptMs = 7 * 24 * 60 * 60_000 // 7 days, as long as the server keeps a sign-up

type PendingSignup = { email: string; signupToken: string; back: string | undefined /** Epoch ms. */; at: number }

export function keepSignup(email: string, signupToken: string): void {
  const back = returnPathOf(new URLSearchParams(location.search).get('redirect'))
  const pending: PendingSignup = { email: storedEmail(email) ?? '', signupToken, back, at: Date.now() }
  localStorage.setItem(key, JSON.stringify(pending))
}

function pendingSignup(): PendingSignup | null {
  try {
    const pending = JSON.parse(localStorage.getItem(key) ?? 'null') as PendingSignup | null
    return typeof pending?.signupToken === 'string' && Date.now() - pending.at < keptMs ? pending : null
  } catch {
    return null
  }
}

/** The token to send in a confirmation's body. `email` is missing for a link, whose address the browser does not know. */
export function pendingSignupToken(email?: string): { signupToken?: string } {
  const pending = pendingSignup()
  if (!pending || (email !== undefined && storedEmail(email) !== pending.email)) return {}
  return { signupToken: pending.signupToken }
}

/** The path that waits for this browser's sign-up; undefined if there is none. */
export const pathAfterSignup = (): string | undefined => returnPathOf(pendingSignup()?.back)

export const forgetSignup = () => localStorage.removeItem(key)
