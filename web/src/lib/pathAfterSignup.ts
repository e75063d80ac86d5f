import { returnPathOf } from './search.ts'
import { browserStorage } from './storage.ts'

/**
 * The page that waits for this browser's sign-up, such as an app's request. Kept for other tabs too, because people sign in for the
 * first time from a link in an email, which opens a new tab.
 */
const keptMs = 30 * 60_000 // 30 minutes, as long as an app's request waits

export function pathAfterSignup(): string | undefined {
  const [at, path] = (browserStorage.get('after_signup') ?? '').split(' ')
  return Date.now() - Number(at) < keptMs ? returnPathOf(path) : undefined
}

export const forgetPathAfterSignup = () => browserStorage.remove('after_signup')
