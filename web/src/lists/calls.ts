import type { Failure, Page } from '../../../worker/schemas/common.ts'
import { ask, call, type Options, refusalOf, renewed } from '../lib/api.ts'

/** Calls that only lists make, apart from what the first screens load. */

/** A page of a list. Totals fall back to what came, for servers that send no page. */
export async function getPage<T, D = T[]>(
  path: string,
  rowsOf: (data: D) => T[],
  options?: Options,
): Promise<{ rows: T[]; page: Page }> {
  const body = await call<D>('GET', path, options)
  const rows = rowsOf(body.data)
  return { rows, page: body.page ?? { number: 1, size: Math.max(rows.length, 1), total: rows.length } }
}

/** A file, as it comes. */
export async function getFile(path: string): Promise<Blob> {
  await renewed()
  const response = await ask('GET', path, {})
  if (response.ok) return response.blob()
  throw refusalOf(response, (await response.json().catch(() => null)) as Failure | null)
}
