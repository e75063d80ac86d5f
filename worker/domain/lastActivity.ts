import { dayMs } from './time.ts'

const dateFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
/** '2026-11-20' → 'Nov 20, 2026', in the local time zone. */
export const formatDate = (iso: string | number): string => dateFormat.format(new Date(iso))

/** Never, Today, Yesterday, N days ago (under 7), N weeks ago (under 30 days), otherwise a date. Calendar days, local time. */
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
