/** Opening accounts of others, and their end. In a separate module, because the sign-in page needs neither. */
import type { Failure } from '#schemas/common.ts'
import { type Acting, actingFor, actingKey, type OtherAccount } from './actingFor.ts'
import { http } from './http.ts'
import { tabStorage } from './storage.ts'
import { storedUser } from './tokens.ts'

/** From the next document of this tab on, acts for this account; null for the person's own. */
export function actFor(account: OtherAccount | null): void {
  const user = storedUser()
  if (account === null || user === null) tabStorage.remove(actingKey)
  else tabStorage.set(actingKey, JSON.stringify({ ...account, personId: user.id } satisfies Acting))
}

/** Loads `path` as the account's; null for the person's own. A session in memory would not outlive this. */
export function openAccount(account: OtherAccount | null, path = '/dashboard/overview'): void {
  actFor(account)
  location.assign(path)
}

/** How people know the account. */
export const accountLabel = ({ name, ownerEmail }: Pick<OtherAccount, 'name' | 'ownerEmail'>): string =>
  name ?? ownerEmail

/** For sentences about what only the owner of the account on screen can do. */
export const ownerWord = (): string => (actingFor() ? 'the owner' : 'you')

/**
 * From now on, a link that is opened in another tab, or copied, names the account on screen: a new tab begins in the person's own
 * account, and asks before it opens another.
 */
export function nameAccountInLinks(): void {
  const name = ({ target }: Event) => {
    const account = actingFor()
    const link = target instanceof Element && target.closest('a[href^="/dashboard"]')
    if (!account || !link) return
    const url = new URL(link.getAttribute('href')!, location.origin)
    url.searchParams.set('account', account.id)
    link.setAttribute('href', url.pathname + url.search + url.hash)
  }
  for (const act of ['pointerdown', 'keydown', 'contextmenu']) addEventListener(act, name, true)
}

const endedKey = 'account_ended'

/** From now on, a reply that the account on screen is not the person's any more opens their own, which says so. */
export function leaveEndedAccount(): void {
  const { send } = http
  let hasEnded = false
  http.send = async (method, path, options) => {
    const response = await send(method, path, options)
    const account = actingFor()
    if (!account || response.status !== 404 || !(await isAccountGone(response)) || hasEnded) return response
    hasEnded = true
    tabStorage.set(endedKey, accountLabel(account))
    openAccount(null)
    return response
  }
}

/** Not a payment, a contact or anything else, but the account that the request named. */
async function isAccountGone(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as Failure | null
  return body?.error === 'Account not found.'
}

/** The account that ended in the document before; null if none did, and from the second call on. */
export function takeEndedAccount(): string | null {
  const name = tabStorage.get(endedKey)
  tabStorage.remove(endedKey)
  return name
}
