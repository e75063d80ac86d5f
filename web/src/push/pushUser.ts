import { browserStorage } from '../lib/storage.ts'

const key = 'bursar_push'

/** Id of the user who has push notifications on in this browser; null if there is none. */
export const pushUser = (): string | null => browserStorage.get(key)

export function rememberPush(userId: string | null): void {
  if (userId === null) browserStorage.remove(key)
  else browserStorage.set(key, userId)
}
