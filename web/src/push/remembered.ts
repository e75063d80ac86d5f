const key = 'bursar_push'

/** Id of the user who has push notifications on in this browser; null if there is none. */
export const pushUser = (): string | null => localStorage.getItem(key)

export function rememberPush(userId: string | null): void {
  if (userId === null) localStorage.removeItem(key)
  else localStorage.setItem(key, userId)
}
