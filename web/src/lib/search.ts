/** Parsers for search parameters. They return undefined for a value of the wrong form. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const flagOf = (value: unknown): true | undefined =>
  value === true || value === 'true' || value === '' ? true : undefined

/** A path to return to after sign-in, of the dashboard or of an invitation; undefined for any other path. */
export const returnPathOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 2000 && /^\/(dashboard|join)(?![^/?#])/.test(value) ? value : undefined

/** The app's request that a dashboard path is about. */
export const connectionRequestOf = (path = ''): string | undefined =>
  /^\/dashboard\/connect\?(?:.*?&)?request=([^&#]+)/.exec(path)?.[1]

/** A page number; undefined for the first page, which the URL leaves out. */
export function pageOf(value: unknown): number | undefined {
  const page = Number(value)
  return Number.isSafeInteger(page) && page > 1 && page <= 100_000 ? page : undefined
}

/**
 * A route's search parameters. Entries of the wrong form stay, as undefined: if they were left out, the router would
 * return the URL's raw text in their place.
 */
export const searchOf = <T extends Record<string, unknown>>(search: T) =>
  search as { [K in keyof T]?: Exclude<T[K], undefined> }

/** The text parameters with these names. */
export const textsOf = <Name extends string>(search: Record<string, unknown>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as { [K in Name]?: string }

/** The flags with these names. */
export const flagsOf = <Name extends string>(search: Record<string, unknown>, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, flagOf(search[name])])) as { [K in Name]?: true }

type ListSearch<Filters> = {
  [Name in
    | 'detail'
    | 'sort'
    | 'cursor'
    | 'from'
    | 'to'
    | 'min'
    | 'max'
    | { [F in keyof Filters]: Filters[F] extends { isPersonal: true } ? never : F }[keyof Filters]]?: string
} & { page?: number }

/**
 * The parameters of a list's page as text. Every page loads this, so only the list's own page interprets them, by its
 * definition, whose filters are named here to the compiler.
 */
export const listSearchOf = <List extends { filters: unknown }>(search: Record<string, unknown>) =>
  ({
    ...textsOf(search, Object.keys(search)),
    page: pageOf(search.page),
  }) as ListSearch<List['filters']>
