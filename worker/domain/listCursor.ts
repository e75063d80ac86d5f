import { type ListSort, listSorts } from './listFilters.ts'

/**
 * Where in a list a page begins or ends: next to the row with this id and key (ms or micro-USDC, depending on the sort).
 * Rows that are added or removed in the meantime do not shift a page that is found by a cursor.
 */
export type ListCursor = { side: 'after' | 'before'; sort: ListSort; key: number; id: string }

export const encodeCursor = ({ side, sort, key, id }: ListCursor): string =>
  btoa(JSON.stringify([side, sort, key, id]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** Null unless the text is a cursor made by `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    if (!Array.isArray(value) || value.length !== 4) return null
    const [side, sort, key, id] = value
    const isWell =
      (side === 'after' || side === 'before') &&
      listSorts.includes(sort) &&
      Number.isSafeInteger(key) &&
      typeof id === 'string' &&
      id.length <= 64
    return isWell ? { side, sort, key, id } : null
  } catch {
    return null
  }
}
