import { useSyncExternalStore } from 'react'

/** Below Tailwind's `md`. */
const query = matchMedia('(width < 48rem)')

function subscribe(listener: () => void) {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** For lists that render rows differently on a phone: rendering both versions and hiding one would double the page. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
