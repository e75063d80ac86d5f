import { useRouter, useRouterState } from '@tanstack/react-router'

/**
 * Returns a function that runs `act` only while the app is at the place where this was rendered. For closing dialogs: a reply
 * that comes after its dialog was left must not close another one, or lead back from another page.
 */
export function useWhileHere(): (act: () => void) => void {
  const router = useRouter()
  const here = useRouterState({ select: ({ location }) => location.href })
  return (act) => {
    if (router.latestLocation.href === here) act()
  }
}
