import { useEffect, useState } from 'react'

const debounceMs = 200

/** Returns `value` after it has stayed the same for a moment, so that a search starts when people stop typing. */
export function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), debounceMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
