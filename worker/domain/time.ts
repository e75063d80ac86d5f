/** Durations in milliseconds. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Slow to create, and not needed on most pages. */
let utcFormat: Intl.DateTimeFormat | undefined
/** 'November 20, 2026 at 12:00 PM UTC' */
export function utcText(at: number): string {
  utcFormat ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `${utcFormat.format(at)} UTC`
}

/** An instant (ms) as ISO 8601 text in UTC. Null stays null. */
export function isoOf(at: number): string
export function isoOf(at: number | null): string | null
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
