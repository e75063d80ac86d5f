import { useSyncExternalStore } from 'react'

const key = 'menu_pinned'
/** Where the menu can stay open beside the page. */
const wide = matchMedia('(min-width: 1280px)')

const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  wide.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    wide.removeEventListener('change', listener)
  }
}

/** Whether the menu can be pinned open in this window, and whether it is. The browser keeps the choice. */
export const usePinned = () => ({
  canPin: useSyncExternalStore(subscribe, () => wide.matches),
  isPinned: useSyncExternalStore(subscribe, () => wide.matches && localStorage.getItem(key) !== null),
})

export function pin(isPinned: boolean): void {
  if (isPinned) localStorage.setItem(key, 'true')
  else localStorage.removeItem(key)
  for (const listener of listeners) listener()
}
