import { idleLeftMs, lastActivityAt, noteActivity } from './tokens.ts'

export const warnMs = 120_000 // 2 minutes before the limit
const checkMs = 1_000 // 1 second
const noteEveryMs = 15_000 // 15 seconds
const activities = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart'] as const

type Handlers = {
  /** Called two minutes before the limit. */
  onWarning: () => void
  /** Called when activity in another tab has made the warning obsolete. */
  onActiveElsewhere: () => void
  onLimit: () => void
}

/**
 * Watches for 12 hours without mouse, key, scroll or touch activity in any tab; tabs share the time of the last activity
 * in storage. Activity in this tab during the warning counts too, but only a button closes the warning. Returns a function
 * that stops watching.
 */
export function watchInactivity(handlers: Handlers): () => void {
  let notedAt = 0
  /** Time of the last activity before the open warning; null if none is open. */
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
    // When the machine wakes up, the first key press may come before the next check.
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
