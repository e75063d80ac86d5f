import { idleLeftMs, lastActivityAt, noteActivity } from './tokens.ts'

export const warnMs = 120_000 // 2 minutes before the limit
const checkMs = 1_000 // 1 second
const noteEveryMs = 15_000 // 15 seconds
const activities = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart'] as const

type Handlers = {
  /** Two minutes are left. */
  onWarning: () => void
  /** Someone is active in another tab: the warning is void. */
  onActiveElsewhere: () => void
  onLimit: () => void
}

/**
 * Watches for 12 hours without mouse, key, scroll or touch in any tab; all tabs share the time of the last one in
 * storage. Activity here during the warning counts as well, but leaves it standing: it is answered by a press.
 * Returns what ends the watch.
 */
export function watchInactivity(handlers: Handlers): () => void {
  let notedAt = 0
  /** The last activity before the warning that stands. */
  let warnedOf: number | null = null

  function check() {
    const leftMs = idleLeftMs()
    if (leftMs <= 0) return handlers.onLimit()
    const lastAt = lastActivityAt()
    if (leftMs <= warnMs && warnedOf !== lastAt) {
      warnedOf = lastAt
      handlers.onWarning()
    } else if (leftMs > warnMs && warnedOf !== null) {
      warnedOf = null
      if (lastAt !== notedAt) handlers.onActiveElsewhere()
    }
  }
  function onActivity() {
    // After a night asleep the first key may come before the first check.
    if (idleLeftMs() <= 0) return handlers.onLimit()
    const now = Date.now()
    if (warnedOf === null && now - notedAt < noteEveryMs) return
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
