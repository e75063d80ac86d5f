import { dayMs } from './time.ts'

/** A span of UTC days, `to` exclusive (ms). Written as its first and last day: '2026-11-01..2026-11-30'. */
export type UtcDays = { from: number; to: number }

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** `to` is the start of the day after the last one. */
export const formatUtcDays = ({ from, to }: UtcDays): string => `${dayOf(from)}..${dayOf(to - dayMs)}`

/** Null unless it is the text of a span whose days exist and are in order. */
export function parseUtcDays(text: string): UtcDays | null {
  const [, first, last] = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(text) ?? []
  const days = { from: Date.parse(`${first}T00:00:00Z`), to: Date.parse(`${last}T00:00:00Z`) + dayMs }
  return days.from < days.to && formatUtcDays(days) === text ? days : null
}
