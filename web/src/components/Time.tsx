import { useSyncExternalStore } from 'react'
import { ago, formatDate, formatFull } from '../lib/format.ts'
import { Tooltip } from './Tooltip.tsx'

const tickMs = 30_000 // 30 seconds
let now = Date.now()

function subscribe(listener: () => void) {
  const timer = setInterval(() => {
    now = Date.now()
    listener()
  }, tickMs)
  return () => clearInterval(timer)
}

/** The time, a fresh one every half minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** '2 min ago', with the full local time and zone on hover and focus. `as="date"` shows the day alone. */
export function Time(props: { iso: string; as?: 'ago' | 'date' }) {
  const at = Math.max(useNow(), Date.parse(props.iso))
  return (
    <Tooltip content={formatFull(props.iso)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the full time shows on focus too */}
      <time dateTime={props.iso} tabIndex={0} className="whitespace-nowrap rounded-sm">
        {props.as === 'date' ? formatDate(props.iso) : ago(props.iso, at)}
      </time>
    </Tooltip>
  )
}
