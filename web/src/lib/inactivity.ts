import { idleLeftMs, lastActivityAt, noteActivity } from './tokens.ts'

export const warnMs = 120_000 // 2 minutes before the limit
const checkMs = 1_000 // 1 second
const noteEveryMs = 15_000 // 15 seconds
const activities = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart'] as const

type Handlers = {
  /** Two minutes before the limit. */
  onWarning: () => void
  /** Activity in another tab made the warning obsolete. */
  onActiveElsewhere: () => void
  onLimit: () => void
}

/**
 * Watches for 12 hours without mouse, key, scroll or touch in any tab; the tabs share the time of the last activity in
 * storage. Activity in this tab during the warning counts too, but does not close the warning: a button does.
 * Returns a function that stops watching.
 */
export function watchInactivity(handlers: Handlers): () => void {
  let notedAt = 0
  /** Time of the last activity before the warning that is open; null when none is. */
  let warnedAfter: number | null = null

  function check() {
    const leftMs = idleLeftMs()
    if (leftMs <= 0) return handlers.onLimit()
    const lastAt = lastActivityAt()
    if (leftMs <= warnMs && warnedAfter !== lastAt) {
      warnedAfter = lastAt
      handlers.onWarning()
    } else if (leftMs > warnMs && warnedAfter !== null) {
      warnedAfter = null
      if (lastAt !== notedAt) handlers.onActiveElsewhere()
    }
  }
  function onActivity() {
    // When the machine wakes up, the first key may come before the next check.
    if (idleLeftMs() <= 0) return handlers.onLimit()
    const now = Date.now()
    if (warnedAfter === null && now - notedAt < noteEveryMs) return
    notedAt = now
    noteActivity()
  }

  if (lastActivityAt() === null) noteActivity()
  check()
  const timer = setInterval(check, checkMs)
  for (const name of activities) addEventListener(name, onActivity, { passive: true, capture: true })
  return () => {
    clearInterval(timer)
    for (const name of activities) removeEventListener(name, onActivity, { capture: true })
  }
}
