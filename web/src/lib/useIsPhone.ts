import { useSyncExternalStore } from 'react'

/** Below Tailwind's `md`. */
const query = matchMedia('(width < 48rem)')

function subscribe(listener: () => void) {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** For lists whose rows are built differently on a phone: hiding one of two forms would double the page. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
