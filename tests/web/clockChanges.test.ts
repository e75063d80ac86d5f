/** The periods of usage and an agent's page, and the days of filters, in weeks and months in which clocks change. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Period, periodAt, periods } from '#domain/periods.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { formatUtcDays } from '#domain/utcDays.ts'

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** Formats are made when a module is loaded, in the time zone of then. */
async function loadedIn(timeZone: string) {
  process.env.TZ = timeZone
  vi.resetModules()
  const [range, { periodText }, { dayName }] = await Promise.all([
    import('#web/lists/range.ts'),
    import('#web/routes/dashboard/-usage/periodText.ts'),
    import('#web/lib/format.ts'),
  ])
  return { ...range, periodText, dayName }
}

/** Local days on which clocks go back or forward, with their hours. */
const changes: [zone: string, year: number, month: number, day: number, hours: number][] = [
  ['Europe/Berlin', 2026, 10, 25, 25],
  ['Europe/Berlin', 2026, 3, 29, 23],
  ['America/New_York', 2026, 11, 1, 25],
  ['America/New_York', 2026, 3, 8, 23],
  ['America/Santiago', 2026, 9, 6, 23], // the day begins at 01:00
]

describe.each(changes)('in %s around %i-%i-%i', (timeZone, year, month, day, hours) => {
  /** Each quarter of an hour from the day before to the day after. */
  const instants = () => {
    const [from, to] = [new Date(year, month - 1, day - 1), new Date(year, month - 1, day + 2)]
    return Array.from(
      { length: (to.getTime() - from.getTime()) / (15 * minuteMs) },
      (_, i) => from.getTime() + i * 15 * minuteMs,
    )
  }

  test('each instant is in one week and one month in UTC, which are named by their own days @answers-38', async () => {
    const { periodText, utcDaysText } = await loadedIn(timeZone)
    const texts: Record<Period, Set<string>> = { week: new Set(), month: new Set() }
    const all = instants()
    for (const at of all)
      for (const period of periods) {
        const { days, before } = periodAt(period, at)
        expect(at >= days.from && at < days.to && before.to === days.from).toBe(true)
        const named = { days: formatUtcDays(days), daysBefore: formatUtcDays(before) }
        texts[period].add(`${periodText(named)}; ${utcDaysText(named.days)}`)
      }
    // What one says in UTC says the same in every zone.
    const elsewhere = await loadedIn('UTC')
    for (const period of periods)
      for (const at of all) {
        const { days, before } = periodAt(period, at)
        const named = { days: formatUtcDays(days), daysBefore: formatUtcDays(before) }
        expect(texts[period]).toContain(`${elsewhere.periodText(named)}; ${elsewhere.utcDaysText(named.days)}`)
      }
  })

  test('the last 7 days of a filter are seven local days, and months follow each other @answers-39', async () => {
    const { datePresets, rangeParams, daysText } = await loadedIn(timeZone)
    const startOf = (text: string | undefined) => Date.parse(text!)
    const changedAt = new Date(year, month - 1, day).getTime()
    for (const at of instants()) {
      const [week, , thisMonth, lastMonth] = datePresets(new Date(at)).map(rangeParams)
      const isIn = changedAt >= startOf(week!.from) && changedAt < startOf(week!.to)
      const changed = isIn ? hours - 24 : 0
      expect(startOf(week!.to) - startOf(week!.from), new Date(at).toISOString()).toBe(7 * dayMs + changed * hourMs)
      expect(at >= startOf(week!.from) && at < startOf(week!.to)).toBe(true)
      expect(lastMonth!.to).toBe(thisMonth!.from)
    }
    const one = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    const { from, to } = rangeParams({ from: one, to: one })
    expect(startOf(to) - startOf(from)).toBe(hours * hourMs)
    expect(daysText({ from: one, to: one })).toMatch(new RegExp(` ${day}, ${year}$`))
  })

  test('the day before is yesterday at every time of a day @answers-40', async () => {
    const { dayName } = await loadedIn(timeZone)
    for (const at of instants()) {
      const today = new Date(at)
      const noonAgo = (days: number) =>
        new Date(today.getFullYear(), today.getMonth(), today.getDate() - days, 12).toISOString()
      expect(dayName(new Date(at).toISOString(), at)).toBe('Today')
      expect(dayName(noonAgo(1), at), today.toISOString()).toBe('Yesterday')
      expect(dayName(noonAgo(2), at)).toMatch(/^[A-Z][a-z]{2} \d+, 2026$/)
    }
  })
})
