import { useTransition } from 'react'

/**
 * For acts that draw a whole page anew, as a change of the URL does. `soon(act)` first lets the page answer the input
 * (the first value turns true, which dims the list; a dialog closes), and acts once that is painted.
 */
export function useSoon(): [isWaiting: boolean, soon: (act: () => void) => void] {
  const [isWaiting, start] = useTransition()
  const soon = (act: () => void) =>
    start(async () => {
      await painted()
      act()
    })
  return [isWaiting, soon]
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
