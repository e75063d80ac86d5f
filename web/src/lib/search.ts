/** Readers for search parameters: what is not of the right form is as if it were not there. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

export const flagOf = (value: unknown): true | undefined =>
  value === true || value === 'true' || value === '' ? true : undefined

/** A path of the signed-in area, the only places that a sign-in may return to. */
export const returnPathOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 2000 && /^\/dashboard(?![^/?#])/.test(value) ? value : undefined

/** A page number; undefined for the first page, which the URL leaves out. */
export function pageOf(value: unknown): number | undefined {
  const page = Number(value)
  return Number.isSafeInteger(page) && page > 1 && page <= 100_000 ? page : undefined
}

/**
 * What a route takes from its URL. Entries that are not of the right form stay, as undefined: one that is left out
 * would let the router show the raw text of the URL in its place.
 */
export const searchOf = <T extends Record<string, unknown>>(search: T) =>
  search as { [K in keyof T]?: Exclude<T[K], undefined> }

/** The texts of these names. */
export const textsOf = <Name extends string>(search: Record<string, unknown>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as { [K in Name]?: string }
