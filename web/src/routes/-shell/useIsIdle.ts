import { useEffect, useState } from 'react'

/** True once the browser has nothing else to do, for calls that can wait. */
export function useIsIdle(): boolean {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    const done = () => setIdle(true)
    // Safari has none.
    if (typeof requestIdleCallback === 'undefined') {
      const timer = setTimeout(done)
      return () => clearTimeout(timer)
    }
    const request = requestIdleCallback(done)
    return () => cancelIdleCallback(request)
  }, [])
  return isIdle
}
