import { formatUsdc, parseUsdc } from '../../../worker/domain/money.ts'

/** '1234.5' → '1,234.50': two to six decimals, exact. Text that is no amount comes back as it is. */
export function formatAmount(text: string): string {
  return withDecimals(text, (fraction) => fraction.padEnd(2, '0'))
}

/** '1234.5678' → '1,234.56': two decimals, cut and never rounded up. */
export function cutAmount(text: string): string {
  return withDecimals(text, (fraction) => fraction.padEnd(2, '0').slice(0, 2))
}

function withDecimals(text: string, decimals: (fraction: string) => string): string {
  const micro = parseUsdc(text)
  if (micro === null) return text
  const [whole = '0', fraction = ''] = formatUsdc(micro).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals(fraction)}`
}

/** What people type or paste as an amount → the plain form: '$1,234.50' → '1234.50', '12,5' → '12.5'. */
export function cleanAmount(text: string): string {
  let value = text.replace(/[\s$]|USDC/gi, '')
  const comma = value.lastIndexOf(',')
  const point = value.lastIndexOf('.')
  // A single comma that does not group thousands is a decimal mark.
  if (comma >= 0 && point < 0 && value.indexOf(',') === comma && !/^\d{1,3},\d{3}$/.test(value))
    value = value.replace(',', '.')
  else if (comma > point && point >= 0) value = value.replaceAll('.', '').replace(',', '.')
  return value.replaceAll(',', '')
}

/** May this stand in an amount field while it is being typed? */
export const isAmountDraft = (text: string) => /^\d{0,12}(\.\d{0,6})?$/.test(text)

export const shortAddress = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

/** The 40 digits in ten groups of four. */
export const addressGroups = (address: string) => address.slice(2).match(/.{4}/g) ?? []

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** '2 min ago'; a date after a week. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (ms < minuteMs) return 'just now'
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`
  if (ms < 7 * dayMs) return Math.floor(ms / dayMs) === 1 ? '1 day ago' : `${Math.floor(ms / dayMs)} days ago`
  return formatDate(iso)
}

const dateFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const fullFormat = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
const minuteFormat = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})

const longFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })

/** 'November 20, 2026', local; 'N/A' for what is no date. */
export const formatLongDate = (iso: string | null | undefined) =>
  iso && !Number.isNaN(Date.parse(iso)) ? longFormat.format(new Date(iso)) : 'N/A'
export const formatDate = (iso: string | number) => dateFormat.format(new Date(iso))
/** Local time with seconds and zone. */
export const formatFull = (iso: string) => fullFormat.format(new Date(iso))
/** Local time with weekday and zone, for deadlines. */
export const formatDeadline = (iso: string | number) => minuteFormat.format(new Date(iso))

/** Never, Today, Yesterday, N days ago (under 7), N weeks ago (under 30), otherwise a date. */
export function lastActivityText(iso: string | null, now: number): string {
  if (!iso) return 'Never'
  const days = Math.round((startOfDay(now) - startOfDay(Date.parse(iso))) / dayMs)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return `${days} days ago`
  if (days < 30) {
    const weeks = Math.floor(days / 7)
    return weeks === 1 ? '1 week ago' : `${weeks} weeks ago`
  }
  return formatDate(iso)
}

const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0)

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
