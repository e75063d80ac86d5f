import type { ReprojectReply } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { logError } from '../observability/log.ts'
import { type Act, recordAct } from '../ops/record.ts'
import type { ReprojectCursor } from '../treasury/backup/api.ts'
import { listAccounts } from './accounts.ts'

/** Of one request. */
const maxAccounts = 20
/** Calls of Treasuries, each of a hundred payments at most. */
const maxCalls = 60

type Position = { userId: string; from: ReprojectCursor | null }

/**
 * Lets Treasuries send again what D1 has of their accounts, as far as one request gets. `cursor` null: from the first
 * account; the reply says where the next request goes on, null at the end. Harmless to repeat.
 */
export async function reproject(
  deps: Deps,
  act: Act,
  { cursor, isDry }: { cursor: string | null; isDry: boolean },
): Promise<ReprojectReply> {
  const { env } = deps
  const position = cursor === null ? null : parseCursor(cursor)
  if (!isDry) await recordAct(deps, act, 'd1.reproject', 'all', { cursor })
  const reply: ReprojectReply = { accounts: 0, rows: {}, changed: {}, problems: [], cursor: null }

  let calls = 0
  const { ids, isEnd } = await listAccounts(env, position?.userId ?? null, maxAccounts)
  const users = position?.from ? [position.userId, ...ids] : ids
  for (const [i, userId] of users.entries()) {
    let from = i === 0 ? (position?.from ?? null) : null
    try {
      do {
        const { next, rows, changed, problem } = await env.TREASURY.getByName(userId).reproject({ from, isDry })
        add(reply.rows, rows)
        add(reply.changed, changed)
        if (problem !== null) reply.problems.push({ userId, problem })
        from = next
        calls += 1
      } while (from !== null && calls < maxCalls)
    } catch (error) {
      logError('account_not_reprojected', { user: userId }, error)
      reply.problems.push({ userId, problem: `it fails: ${(error as Error).name}` })
      from = null
    }
    if (from === null) reply.accounts += 1
    reply.cursor = cursorOf({ userId, from })
    if (from === null && isEnd && i === users.length - 1) reply.cursor = null
    if (calls >= maxCalls) break
  }
  return reply
}

function add(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [name, n] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + n
}

const cursorOf = ({ userId, from }: Position) => (from === null ? userId : `${userId}:${from.after}`)

function parseCursor(cursor: string): Position {
  const [userId = '', after] = cursor.split(':')
  return { userId, from: after === undefined ? null : { after } }
}
