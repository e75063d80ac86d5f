import { browserStorage } from './storage.ts'

/**
 * The invitation that waits while its person signs in or up. Kept for other tabs too, because the link of a sign-up's email opens a
 * new one. It is of use to nobody but the person with its address.
 */
const storageKey = 'invitation'
const keptMs = 30 * 60_000 // 30 minutes, as long as the path after a sign-up

export const keepInvitation = (token: string) => browserStorage.set(storageKey, `${Date.now()} ${token}`)

export function keptInvitation(): string | null {
  const [at, token] = (browserStorage.get(storageKey) ?? '').split(' ')
  return Date.now() - Number(at) < keptMs ? token || null : null
}

export const forgetInvitation = () => browserStorage.remove(storageKey)
