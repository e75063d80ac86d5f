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
  let warned = false

  function check() {
    const leftMs = idleLeftMs()
    if (leftMs <= 0) return handlers.onLimit()
    if (leftMs <= warnMs && !warned) {
      warned = true
      handlers.onWarning()
    } else if (leftMs > warnMs && warned) {
      warned = false
      if (lastActivityAt() !== notedAt) handlers.onActiveElsewhere()
    }
  }
  function onActivity() {
    // After a night asleep the first key may come before the first check.
    if (idleLeftMs() <= 0) return handlers.onLimit()
    const now = Date.now()
    if (!warned && now - notedAt < noteEveryMs) return
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
