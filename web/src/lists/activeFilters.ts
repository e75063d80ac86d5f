import { amountsText, daysText, type Range } from '../lib/range.ts'

/** A group of filters that is set, as text, and a function to remove it. */
export type ActiveFilter = { key: string; text: string; remove: () => void }

/**
 * The filters that are set, each group once. `texts` describes the list's own filters; all lists share days and amounts.
 */
export function activeFilters<Filters extends Range>(
  filters: Filters,
  texts: { [Name in Exclude<keyof Filters, keyof Range>]-?: string | false | undefined },
  apply: (filters: Filters) => void,
): ActiveFilter[] {
  const without = (names: readonly string[]) => () =>
    apply(Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name))) as Filters)
  const all: [key: string, text: unknown, names: string[]][] = [
    ...Object.entries(texts).map(([name, text]): [string, unknown, string[]] => [name, text, [name]]),
    ['days', daysText(filters), ['from', 'to']],
    ['amounts', amountsText(filters), ['min', 'max']],
  ]
  return all.flatMap(([key, text, names]) =>
    typeof text === 'string' && text !== '' ? { key, text, remove: without(names) } : [],
  )
}
