import { useSyncExternalStore } from 'react'
import { browserStorage } from '#web/lib/storage.ts'

const key = 'menu_pinned'
/** Where the menu can stay open beside the page, and where it does unless it was unpinned. */
const [wide, wider] = [matchMedia('(min-width: 1280px)'), matchMedia('(min-width: 1440px)')]

const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  for (const width of [wide, wider]) width.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    for (const width of [wide, wider]) width.removeEventListener('change', listener)
  }
}

/** Whether the menu can be pinned open in this window, and whether it is. The browser keeps the choice. */
export const usePinned = () => ({
  canPin: useSyncExternalStore(subscribe, () => wide.matches),
  isPinned: useSyncExternalStore(subscribe, () => wide.matches && (choice() ?? wider.matches)),
})

/** Null before the first choice. */
function choice(): boolean | null {
  const stored = browserStorage.get(key)
  return stored === null ? null : stored === 'true'
}

export function pin(isPinned: boolean): void {
  browserStorage.set(key, String(isPinned))
  for (const listener of listeners) listener()
}
