import { amountsText, daysText, type Range } from './range.ts'

/** What is filtered by, as one text for each group, and how to drop it. */
export type ActiveFilter = { key: string; text: string; remove: () => void }

/** The filters that are set, each group once, in the words of `texts`; days and amounts are every list's. */
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
