import { useTransition } from 'react'

/**
 * For actions that redraw a whole page, such as a URL change. `afterPaint(act)` first lets the page respond to the input
 * (`isWaiting` turns true, which dims the list; a dialog closes) and runs `act` after the next paint.
 */
export function useAfterPaint(): [isWaiting: boolean, afterPaint: (act: () => void) => void] {
  const [isWaiting, start] = useTransition()
  const afterPaint = (act: () => void) =>
    start(async () => {
      await painted()
      act()
    })
  return [isWaiting, afterPaint]
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
