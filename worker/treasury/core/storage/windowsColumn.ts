import type { Period } from '#domain/policyPeriod.ts'
import type { Ring, Window } from '#domain/rules/windows.ts'

/** What a rule has counted. `counts`: payments instead of their amounts. */
export type Counted = { span: Window['span']; counts: boolean; ring: Ring }

/** By rule; in the `windows` column of a group, or of one of its recipients. */
export type CountedWindows = Readonly<Record<string, Counted>>

/** Amounts in micro-USDC, or numbers of payments; newest first. */
type Stored = { span: Period | number; counts?: 1; newest: number; slices: number[] }

/** What was read or written last, by its text: the next payment usually reads what the last one has written. */
const parsed = new Map<string, CountedWindows>()
const keep = (text: string, windows: CountedWindows) => {
  if (parsed.size >= 200) parsed.clear()
  parsed.set(text, windows)
}

export function parseWindows(text: string): CountedWindows {
  const known = parsed.get(text)
  if (known) return known
  const entries = Object.entries(JSON.parse(text) as Record<string, Stored>)
  const windows = Object.fromEntries(
    entries.map(([field, { span, counts, newest, slices }]) => [
      field,
      { span, counts: counts === 1, ring: { newest, slices: slices.map(BigInt) } },
    ]),
  )
  keep(text, windows)
  return windows
}

/** Throws RangeError if a JSON number would lose a digit. */
export function formatWindows(windows: CountedWindows): string {
  const parts: string[] = []
  for (const field in windows) parts.push(`"${field}":${formatWindow(windows[field]!)}`)
  const text = `{${parts}}`
  keep(text, windows)
  return text
}

export function formatWindow({ span, counts, ring }: Counted): string {
  for (const slice of ring.slices) if (slice > Number.MAX_SAFE_INTEGER) throw new RangeError(`amount ${slice}`)
  return `{"span":${JSON.stringify(span)},${counts ? '"counts":1,' : ''}"newest":${ring.newest},"slices":[${ring.slices}]}`
}
