import { parseUtcDays } from '#domain/utcDays.ts'

const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

const daysText = (text: string) => {
  const days = parseUtcDays(text)
  return days ? format.formatRange(days.from, days.to - 1) : ''
}

/** 'Nov 23 – 29 vs. Nov 16 – 22, in UTC' */
export const periodText = ({ days, daysBefore }: { days: string; daysBefore: string }) =>
  `${daysText(days)} vs. ${daysText(daysBefore)}, in UTC`
