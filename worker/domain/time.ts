/** Durations in milliseconds. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** An instant (ms) as ISO 8601 text in UTC. Null stays null. */
export function isoOf(at: number): string
export function isoOf(at: number | null): string | null
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
