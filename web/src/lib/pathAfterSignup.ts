import { returnPathOf } from './search.ts'

/**
 * The page that waits for this browser's sign-up, such as an app's request. Kept in localStorage, because people sign in for the
 * first time from a link in an email, which opens a new tab.
 */
const key = 'after_signup'
const keptMs = 30 * 60_000 // 30 minutes, as long as an app's request waits

/** Keeps the page that the URL of the sign-up names, if it names one. */
export function keepPathAfterSignup(): void {
  const path = returnPathOf(new URLSearchParams(location.search).get('redirect'))
  if (path !== undefined) localStorage.setItem(key, `${Date.now()} ${path}`)
}

export function pathAfterSignup(): string | undefined {
  const [at, path] = localStorage.getItem(key)?.split(' ') ?? []
  return Date.now() - Number(at) < keptMs ? returnPathOf(path) : undefined
}

export const forgetPathAfterSignup = () => localStorage.removeItem(key)
