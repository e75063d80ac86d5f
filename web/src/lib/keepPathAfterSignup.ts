import { returnPathOf } from './search.ts'
import { browserStorage } from './storage.ts'

/** Keeps the page that the URL of the sign-up names, if it names one, for pathAfterSignup.ts: the sign-in page has no room for this. */
export function keepPathAfterSignup(): void {
  const path = returnPathOf(new URLSearchParams(location.search).get('redirect'))
  if (path !== undefined) browserStorage.set('after_signup', `${Date.now()} ${path}`)
}
