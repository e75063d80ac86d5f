import { useEffect } from 'react'
import { toast } from 'react-hot-toast/headless'
import { expireSession } from '../../lib/session.ts'

const limitMs = 43_200_000 // 12 hours
const warnMs = 120_000 // 2 minutes before
const checkMs = 15_000 // 15 seconds
const activities = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart'] as const

/** Ends the session after 12 hours without activity in any tab, and says so two minutes before. */
export function useInactivity(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const otherTabs = new BroadcastChannel('bursar-activity')
    let lastAt = Date.now()
    let toldAt = 0
    let warning: string | null = null

    const onActivity = () => {
      lastAt = Date.now()
      if (lastAt - toldAt < checkMs) return
      toldAt = lastAt
      otherTabs.postMessage(lastAt)
    }
    otherTabs.onmessage = (event: MessageEvent<number>) => {
      lastAt = Math.max(lastAt, event.data)
    }
    const check = setInterval(() => {
      const idleMs = Date.now() - lastAt
      if (idleMs >= limitMs) expireSession()
      if (idleMs >= limitMs - warnMs) {
        warning ??= toast('You will be signed out in 2 minutes. Press any key to stay.', {
          duration: Number.POSITIVE_INFINITY,
        })
      } else if (warning) {
        toast.dismiss(warning)
        warning = null
      }
    }, checkMs)
    for (const name of activities) addEventListener(name, onActivity, { passive: true, capture: true })
    return () => {
      for (const name of activities) removeEventListener(name, onActivity, { capture: true })
      clearInterval(check)
      otherTabs.close()
    }
  }, [active])
}
