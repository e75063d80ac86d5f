import { type FocusEvent, useState, useSyncExternalStore } from 'react'
import { dayMs, hourMs } from '#domain/time.ts'
import { ago, formatClock, formatDate, formatDayAndTime, formatMoment } from '../lib/format.ts'
import { Tooltip, TooltipAt } from './Tooltip.tsx'

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
 * alone, `as="clock"` the time of day, for what stands below its day.
 */
export function Time(props: { iso: string; as?: 'ago' | 'date' | 'clock' }) {
  const at = Math.max(useNow(), Date.parse(props.iso))
  const moment = formatMoment(props.iso)
  const text =
    props.as === 'date' ? formatDate(props.iso) : props.as === 'clock' ? formatClock(props.iso) : ago(props.iso, at)
  // What the tooltip adds to the visible text.
  const [before = '', after = ''] = moment.includes(text) ? moment.split(text) : ['', `, ${moment}`]
  return (
    <Tooltip content={moment}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the full time shows on focus too */}
      <time dateTime={props.iso} tabIndex={0} className="relative whitespace-nowrap rounded-sm">
        <span className="sr-only" hidden={!before}>
          {before}
        </span>
        {text}
        <span className="sr-only">{after}</span>
      </time>
    </Tooltip>
  )
}

/**
 * 'Nov 27, 16:00' in a row, with the relative and the full time on hover and while the row's link has the focus
 * (`useRowTimes`). Tab does not stop at it. `as="date"` shows the day alone; `as="feed"` shows '2 min ago' for an hour.
 */
export function RowTime(props: { iso: string; as?: 'moment' | 'date' | 'feed' }) {
  const { iso, as = 'moment' } = props
  const at = Math.max(useNow(), Date.parse(iso))
  const isRecent = as === 'feed' && at - Date.parse(iso) < hourMs
  const text = isRecent ? ago(iso, at) : as === 'date' ? formatDate(iso) : formatDayAndTime(iso, at)
  return (
    <Tooltip content={relativeAndFull(iso, at)}>
      <time dateTime={iso} className="whitespace-nowrap">
        {text}
      </time>
    </Tooltip>
  )
}

/** For a list of rows with times: shows the time of the row whose link the keyboard has reached. `rowTime` is rendered anywhere. */
export function useRowTimes() {
  const [time, setTime] = useState<HTMLTimeElement | null>(null)
  const hide = () => setTime(null)
  return {
    rowTimes: {
      onFocus({ target }: FocusEvent<HTMLElement>) {
        const isLink = target.matches('a:focus-visible')
        setTime((isLink && target.closest('tr, li')?.querySelector('time')) || null)
      },
      onBlur: hide,
    },
    rowTime: time && (
      <TooltipAt anchor={time} onClose={hide}>
        {relativeAndFull(time.dateTime, Math.max(Date.now(), Date.parse(time.dateTime)))}
      </TooltipAt>
    ),
  }
}

/** '2 days ago, Fri, Nov 27, 2026, 4:00 PM UTC'; after a week the full time alone. */
const relativeAndFull = (iso: string, at: number) =>
  [...(at - Date.parse(iso) < 7 * dayMs ? [ago(iso, at)] : []), formatMoment(iso)].join(', ')

/** '2 min ago' as plain text, where the full time is one tap away. */
export function Ago(props: { iso: string }) {
  const at = Math.max(useNow(), Date.parse(props.iso))
  return <time dateTime={props.iso}>{ago(props.iso, at)}</time>
}
