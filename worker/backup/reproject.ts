import type { ReprojectReply } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { insertContact } from '../db/contacts.ts'
import { logError } from '../observability/log.ts'
import { type Act, recordAct } from '../ops/record.ts'
import type { ReprojectCursor } from '../treasury/account/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { listAccounts } from './accounts.ts'

/** Limits of one request. */
const maxAccounts = 20
const maxMs = 8_000
/** Accounts processed at the same time. */
const parallel = 5
/** Calls per account in one request; each covers a hundred payouts. */
const maxCalls = 30

type Position = { userId: string; from: ReprojectCursor | null }

/**
 * Makes Treasuries resend what D1 stores about their accounts, within the limits of one request. Starts at `cursor`, or with
 * the first account if it is null; the reply has the cursor for the next request, null at the end. Safe to repeat.
 * `wasRestored`: D1 was restored to an earlier time, so owners must confirm contacts that have changed since.
 */
export async function reproject(
  deps: Deps,
  act: Act,
  { cursor, isDry, wasRestored = false }: { cursor: string | null; isDry: boolean; wasRestored?: boolean },
): Promise<ReprojectReply> {
  const { env } = deps
  const position = cursor === null ? null : parseCursor(cursor)
  if (!isDry) await recordAct(deps, act, wasRestored ? 'd1.restored' : 'd1.reproject', 'all', { cursor })
  const reply: ReprojectReply = { accounts: 0, rows: {}, changed: {}, problems: [], cursor: null }

  const { ids, isEnd } = await listAccounts(env, position?.userId ?? null, maxAccounts)
  const users = position?.from ? [position.userId, ...ids] : ids
  const until = deps.now() + maxMs
  for (let i = 0; i < users.length; i += parallel) {
    const some = users.slice(i, i + parallel)
    const parts = await Promise.all(
      some.map((userId, j) => {
        const from = i + j === 0 ? (position?.from ?? null) : null
        return sendAgain(deps, { userId, from }, { isDry, wasRestored, until })
      }),
    )
    for (const { rows, changed, problems, unfinished } of parts) {
      add(reply.rows, rows)
      add(reply.changed, changed)
      reply.problems.push(...problems)
      // The next request resends the accounts after it.
      if (unfinished) return { ...reply, cursor: cursorOf(unfinished) }
      reply.accounts += 1
    }
    reply.cursor = isEnd && i + parallel >= users.length ? null : cursorOf({ userId: some.at(-1)!, from: null })
    if (deps.now() > until) break
  }
  return reply
}

type Sent = Pick<ReprojectReply, 'rows' | 'changed' | 'problems'> & { unfinished: Position | null }

async function sendAgain(
  deps: Deps,
  { userId, from: start }: Position,
  { isDry, wasRestored, until }: { isDry: boolean; wasRestored: boolean; until: number },
): Promise<Sent> {
  const sent: Sent = { rows: {}, changed: {}, problems: [], unfinished: null }
  let from = start
  try {
    for (let calls = 0; calls === 0 || from !== null; calls++) {
      if (calls === maxCalls || (calls > 0 && deps.now() > until)) return { ...sent, unfinished: { userId, from } }
      const { next, rows, changed, problem } = await treasuryOf(deps.env, userId).account().reproject({ from, isDry })
      add(sent.rows, rows)
      add(sent.changed, changed)
      if (problem !== null) sent.problems.push({ userId, problem })
      from = next
    }
    if (wasRestored) add(sent.changed, await askForContacts(deps, userId, isDry))
  } catch (error) {
    logError('account_not_reprojected', { user: userId }, error)
    sent.problems.push({ userId, problem: `reprojecting failed: ${(error as Error).name}` })
  }
  return sent
}

/** Restores contacts that are on a whitelist but missing from D1. Contacts that differ must be confirmed by their owner. */
async function askForContacts({ env, db, now }: Deps, userId: string, isDry: boolean): Promise<Record<string, number>> {
  const { toConfirm, missing } = await treasuryOf(env, userId).account().compareContacts(isDry)
  const at = now()
  const rest = { userId, description: null, changedBy: null, createdAt: at, updatedAt: at, deletedAt: null }
  // A whitelist may have more than the account has places for.
  if (!isDry) for (const contact of missing) await insertContact(db, { ...contact, ...rest }, Number.MAX_SAFE_INTEGER)
  return { contact: missing.length, contacts_to_confirm: toConfirm }
}

function add(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [name, n] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + n
}

const cursorOf = ({ userId, from }: Position) => (from === null ? userId : `${userId}:${from.after}`)

function parseCursor(cursor: string): Position {
  const [userId = '', after] = cursor.split(':')
  return { userId, from: after === undefined ? null : { after } }
}
