import { DatabaseSync } from 'node:sqlite'
import { drizzle } from 'drizzle-orm/durable-sqlite'
import { PayoutsQuery, TransactionsQuery } from '#schemas/lists.ts'
import { type ListQuery, payoutsQuery, transactionsQuery } from '../../../worker/history/lists.ts'
import { readPage } from '../../../worker/history/pages.ts'
import { Rows } from '../../../worker/history/rows.ts'
import { storageOf } from '../../support/memoryTreasury.ts'

/**
 * The longest time (ms) that a search keeps its thread before others have their turn: the median of several searches, on a copy of
 * a History's rows. workerd's clock stands still during work, so the search runs in Node, on the same version of the code and rows.
 */
export async function longestTurnMs(file: string, path: string, searches = 15): Promise<number> {
  const db = new DatabaseSync(file)
  const storage = storageOf(db)
  const query = queryOf(path, new Rows(storage).names())
  const turns: number[] = []
  for (let i = 0; i < searches; i++)
    turns.push(await longestOf(() => readPage(drizzle(storage), query, { page: 1, pageSize: 10 })))
  db.close()
  return turns.sort((a, b) => a - b)[Math.floor(searches / 2)]!
}

function queryOf(path: string, names: ReturnType<Rows['names']>): ListQuery {
  const { pathname, searchParams } = new URL(path, 'http://list')
  const search = Object.fromEntries(searchParams)
  if (pathname === '/escrow/list') return payoutsQuery(PayoutsQuery.parse(search))
  const { contact, recipient, ...filter } = TransactionsQuery.parse(search)
  if (contact ?? recipient) throw new Error(`${path}: the service resolves people first`)
  return transactionsQuery({ ...filter, now: Date.now() }, names)
}

async function longestOf(work: () => Promise<unknown>): Promise<number> {
  let [longest, lastAt, isOver] = [0, performance.now(), false]
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - lastAt)
    lastAt = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  turn()
  return longest
}
