import { formatDate, lastActivityText } from '#domain/lastActivity.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'

export { cutAmount, formatAmount } from './decimals.ts'
export { formatMoment } from './moment.ts'
export { formatDate, lastActivityText }

/** 'Today', 'Yesterday' or the date, in local time. */
export function dayName(iso: string, now: number): string {
  // Counts calendar days: one on which the clocks change has 23 or 25 hours.
  const days = lastActivityText(iso, now)
  return days === 'Today' || days === 'Yesterday' ? days : formatDate(iso)
}

/** '2 min ago'; a date after a week. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (ms < minuteMs) return 'just now'
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`
  if (ms < 7 * dayMs) return Math.floor(ms / dayMs) === 1 ? '1 day ago' : `${Math.floor(ms / dayMs)} days ago`
  return formatDate(iso)
}

const clock = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const dayAndTime = new Intl.DateTimeFormat('en-US', clock)
const yearDayAndTime = new Intl.DateTimeFormat('en-US', { ...clock, year: 'numeric' })

/** 'Nov 27, 16:00' in local time, for lists of money; 'Nov 27, 2025, 16:00' if `now` is in another year. */
export function formatDayAndTime(iso: string, now: number): string {
  const at = new Date(iso)
  const isThisYear = at.getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? dayAndTime : yearDayAndTime).format(at)
}

const timeOfDay = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** '16:00', in local time. */
export const formatClock = (iso: string): string => timeOfDay.format(new Date(iso))

const longFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })

/** 'November 20, 2026', in local time; 'N/A' if `iso` is not a date. */
export const formatLongDate = (iso: string | null | undefined) =>
  iso && !Number.isNaN(Date.parse(iso)) ? longFormat.format(new Date(iso)) : 'N/A'

/** '1 payment', '1,200 payments'. */
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

/** Adds a full stop if needed, so that another sentence can follow. */
export const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

/** 'GET https://api.example.com/weather' → 'api.example.com/weather': what is bought, in a line. */
export const resourceLine = (resource: string) => resource.replace(/^\S+ https?:\/\//, '').replace(/\/$/, '')

/** '0x1234…abcd' */
export const shortAddress = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

/** The 40 digits in ten groups of four. */
export const addressGroups = (address: string) => address.slice(2).match(/.{4}/g) ?? []
