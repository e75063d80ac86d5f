/**
 * One page of the read model with the Treasury's fresher rows laid over it, so that what was just done is seen.
 * Rows of D1 are replaced by id; on the first page rows that D1 does not have yet are added.
 */
export function overlay<T extends { id: string; createdAt: string }>(
  page: { rows: T[]; total: number },
  fresh: T[],
  pageNumber: number,
  pageSize: number,
): { rows: T[]; total: number } {
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const rows = page.rows.map((row) => byId.get(row.id) ?? row)
  if (pageNumber !== 1) return { rows, total: page.total }
  const present = new Set(rows.map((row) => row.id))
  const oldest = rows.length >= pageSize ? rows.at(-1)!.createdAt : ''
  // In D1 it would stand on this page, so it is not in D1.
  const added = fresh.filter((row) => !present.has(row.id) && row.createdAt > oldest)
  const sorted = [...rows, ...added].sort((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
  )
  return { rows: sorted.slice(0, pageSize), total: page.total + added.length }
}
