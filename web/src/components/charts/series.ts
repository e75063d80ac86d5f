/** Colours of series, each with a contrast of at least 3:1 on a card. Names are always shown next to them. */
const colors = ['#1f6f4a', '#3f6b8f', '#9a5b00', '#7a4b7d', '#b5603c', '#6f7a1f']
const otherColor = '#85887e' // for all further series together

export const colorOf = (kind: string, index: number): string =>
  kind === 'others' ? otherColor : (colors[index] ?? otherColor)

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** '2026-11-20' → 'Nov 20' */
export const dayText = (day: string) => dayFormat.format(new Date(day))

/** The largest amount; zero if there are none. */
export function largest(amounts: readonly bigint[]): bigint {
  let most = 0n
  for (const amount of amounts) if (amount > most) most = amount
  return most
}
