import { useRouter, useRouterState } from '@tanstack/react-router'

/**
 * Returns a function that runs `act` only if the URL is still the one of this render. For closing dialogs: a late reply must
 * not close another dialog, or navigate away from another page.
 */
export function useWhileHere(): (act: () => void) => void {
  const router = useRouter()
  const here = useRouterState({ select: ({ location }) => location.href })
  return (act) => {
    if (router.latestLocation.href === here) act()
  }
}
