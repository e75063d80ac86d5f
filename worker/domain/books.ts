import { dayMs, hourMs } from './time.ts'

/** The accounting programs for which there is a file of bank statement lines. */
export const bookFormats = ['xero', 'quickbooks'] as const
export type BookFormat = (typeof bookFormats)[number]

/** A day is closed this long after it has ended: what was booked in it is final by then, and nothing is added any more. */
const closesAfterMs = hourMs

/** The end (ms) of the last UTC day that is closed, so that each later file says the same about it. */
export const booksClosedUntil = (now: number): number => Math.floor((now - closesAfterMs) / dayMs) * dayMs
