import { type ListSort, listSorts } from './listFilters.ts'

/**
 * Where in a list a page begins or ends: beside the row with this key (ms or micro-USDC, as the list is sorted) and id.
 * A row that is added or leaves meanwhile moves no page that is found by a cursor.
 */
export type ListCursor = { side: 'after' | 'before'; sort: ListSort; key: number; id: string }

export const encodeCursor = ({ side, sort, key, id }: ListCursor): string =>
  btoa(JSON.stringify([side, sort, key, id]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** Null for a text that `encodeCursor` did not make. */
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
