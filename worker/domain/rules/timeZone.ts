import { dayMs, minuteMs } from '../time.ts'

/** Clocks change at full or half hours. */
const halfHourMs = 30 * minuteMs

/** Local time in IANA zones. */

export const weekDays = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' } as const
type WeekDay = keyof typeof weekDays

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one takes far longer than using it. Throws RangeError if there is no such zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  if (formats.size >= 50) formats.clear()
  formats.set(zone, made)
  return made
}

/** A name such as Europe/Berlin or UTC. Offsets such as +02:00 are not names: they have no summer time. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(zone) || zone.length > 64) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** How far the zone's clocks are ahead of UTC (ms). They change at full or half hours, so one answer serves for half an hour. */
const offsets = new Map<string, number>()
function offsetAt(zone: string, at: number): number {
  const halfHour = Math.floor(at / halfHourMs) * halfHourMs
  const key = `${zone} ${halfHour}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(halfHour)) parts[type] = Number(value)
  const wall = Date.UTC(parts.year!, parts.month! - 1, parts.day!, parts.hour!, parts.minute!)
  if (offsets.size >= 5_000) offsets.clear()
  offsets.set(key, wall - halfHour)
  return wall - halfHour
}

/** What a clock on the wall shows, as if it were UTC (ms). */
const wallClock = (zone: string, at: number) => at + offsetAt(zone, at)

const dayNames = Object.keys(weekDays) as WeekDay[]
/** 1 January 1970 was a Thursday. */
const dayOf = (wall: number): WeekDay => dayNames[(Math.floor(wall / dayMs) + 3) % 7]!

export type OpenHours = { zone: string; days: readonly string[]; from: string; to: string }

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/**
 * Whether `at` (ms) is within the hours. `to` is exclusive; if `from` is after `to`, they cross midnight, and `days` are
 * those on which they begin. An hour that a change of clocks repeats counts both times; one that it skips does not occur.
 */
export function isOpenAt({ zone, days, from, to }: OpenHours, at: number): boolean {
  const wall = wallClock(zone, at)
  const minute = Math.floor((wall % dayMs) / minuteMs)
  const [first, end] = [minutesOf(from), minutesOf(to)]
  const begins = days.includes(dayOf(wall))
  if (first < end) return begins && minute >= first && minute < end
  return (begins && minute >= first) || (days.includes(dayOf(wall - dayMs)) && minute < end)
}

/** When the hours begin next (ms). Null if not within eight days: a change of clocks skips them. */
export function opensAt(hours: OpenHours, at: number): number | null {
  const { zone, days, from } = hours
  const today = Math.floor(wallClock(zone, at) / dayMs)
  for (let day = today; day <= today + 8; day++) {
    if (!days.includes(dayOf(day * dayMs))) continue
    const wall = day * dayMs + minutesOf(from) * minuteMs
    // With the offset before and after a change of clocks. If it skips this time, the hours begin when it has happened.
    const starts = [wall - offsetAt(zone, wall - dayMs), wall - offsetAt(zone, wall + dayMs)]
    const last = Math.max(...starts)
    for (let change = Math.ceil(Math.min(...starts) / halfHourMs) * halfHourMs; change < last; change += halfHourMs)
      starts.push(change)
    const open = starts.filter((start) => start > at && isOpenAt(hours, start))
    if (open.length > 0) return Math.min(...open)
  }
  return null
}
