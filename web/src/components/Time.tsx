import { useSyncExternalStore } from 'react'
import { ago, formatDate, formatMoment } from '../lib/format.ts'
import { Tooltip } from './Tooltip.tsx'

const tickMs = 30_000 // 30 seconds
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** One clock for all subscribers; it runs only while there are any. */
function subscribe(listener: () => void) {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, tickMs)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The current time (ms), updated every 30 seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/**
 * '2 min ago', with the full local time and zone on hover and focus, and for screen readers. `as="date"` shows the day
 * alone.
 */
export function Time(props: { iso: string; as?: 'ago' | 'date' }) {
  const at = Math.max(useNow(), Date.parse(props.iso))
  const moment = formatMoment(props.iso)
  const text = props.as === 'date' ? formatDate(props.iso) : ago(props.iso, at)
  // What the tooltip adds to the visible text.
  const [before = '', after = ''] = moment.includes(text) ? moment.split(text) : ['', `, ${moment}`]
  return (
    <Tooltip content={moment}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the full time shows on focus too */}
      <time dateTime={props.iso} tabIndex={0} className="relative whitespace-nowrap rounded-sm">
        {before && <span className="sr-only">{before}</span>}
        {text}
        <span className="sr-only">{after}</span>
      </time>
    </Tooltip>
  )
}

/** '2 min ago' as plain text, for rows whose full time is one tap away. */
export function Ago(props: { iso: string }) {
  const at = Math.max(useNow(), Date.parse(props.iso))
  return <time dateTime={props.iso}>{ago(props.iso, at)}</time>
}
