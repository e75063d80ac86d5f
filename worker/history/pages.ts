import { encodeCursor, type ListCursor } from '#domain/lists.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Listed, Paging, Slice } from './api.ts'
import { type Db, type ListQuery, type Part, selectRows, selectSlice, selectTotal } from './lists.ts'
import { isNarrow, search } from './search.ts'

/** Reads one page and the total. With a cursor, `page` is only the number to return. */
export async function readPage<Row extends Transaction | Escrow>(
  db: Db,
  query: ListQuery,
  paging: Paging,
): Promise<Listed<Row>> {
  const { page, pageSize, cursor } = paging
  // One extra row tells whether another page follows.
  const part = { limit: pageSize + 1, offset: cursor ? 0 : (page - 1) * pageSize, cursor }
  const { read, ...found } = query.reach === 'newest' ? await search(db, query, part) : listPart(db, query, part)
  const isBackward = cursor?.side === 'before'
  const hasMore = read.length > pageSize
  const rows = read.slice(0, pageSize)
  if (isBackward) rows.reverse()
  const [first, last] = [rows[0], rows.at(-1)]
  const hasNext = isBackward || hasMore
  const hasPrevious = isBackward ? hasMore : cursor !== undefined || page > 1
  const at = (side: ListCursor['side'], { key, id }: { key: number; id: string }) =>
    encodeCursor({ side, sort: query.sort, key, id })
  return {
    rows: rows.map(({ body }) => JSON.parse(body) as Row),
    page: {
      number: page,
      size: pageSize,
      ...found,
      ...(last && hasNext && { next: at('after', last) }),
      ...(first && hasPrevious && { previous: at('before', first) }),
    },
  }
}

const listPart = (db: Db, query: ListQuery, part: Part) => ({
  read: selectRows(db, query, part).all(),
  total: selectTotal(db, query).get()?.total ?? 0,
})

/**
 * Up to `limit` rows after a cursor, for exports. Those of a narrow search are found as its list finds them; for others, `limit`
 * rows are read, and those that the filters keep are returned.
 */
export async function readSlice(
  db: Db,
  query: ListQuery,
  limit: number,
  cursor: ListCursor | null,
): Promise<Omit<Slice, 'names'>> {
  const found = isNarrow(query) ? await search(db, query, { limit, cursor }) : null
  const isComplete = found && found.searchedFrom === undefined && found.searchedUntil === undefined
  const read = isComplete ? found.read : selectSlice(db, query, limit, cursor).all()
  const last = read.at(-1)
  return {
    rows: `[${read.flatMap(({ body }) => body ?? [])}]`,
    next: last && read.length === limit ? { side: 'after', sort: query.sort, key: last.key, id: last.id } : null,
  }
}
