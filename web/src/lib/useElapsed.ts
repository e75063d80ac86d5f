import { useEffect, useState } from 'react'

/** True once `ms` have passed since the first render, or since `running` became true. */
export function useElapsed(ms: number, running = true): boolean {
  const [elapsed, setElapsed] = useState(false)
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => setElapsed(true), ms)
    return () => {
      clearTimeout(timer)
      setElapsed(false)
    }
  }, [ms, running])
  return elapsed
}
