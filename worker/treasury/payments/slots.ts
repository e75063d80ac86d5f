import { issuable, maxSpread, slotsFor } from '#domain/intent.ts'
import type { Block } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { type Spender, spenderColumn } from '../core/spender.ts'
import { isRelayed } from '../core/storage/kindSql.ts'
import type { CachedRow } from '../core/storage/rowCache.ts'
import type { SessionRow } from '../core/storage/rows.ts'
import { isReplaced } from '../wallets/actions/actions.ts'

/** Shares of a wallet's slots for payments in flight: the owner's, each agent's, and that of all runs. */

/** How many queued payments are considered, including those that a smaller session has no room for. */
const maxConsidered = 1_000

export type Slots = {
  /** Nonces that this spender may take now. */
  of: (spender: Spender) => number
  /** Payments in flight of this spender. */
  inFlight: (spender: Spender) => number
  take: (spender: Spender) => void
}

/** The payments in flight of one session. */
type InFlight = {
  /** Number of payments by spender. */
  counts: ReadonlyMap<Spender, number>
  /** Lowest sequence that is not behind the window and that the contract does not refuse. */
  lowest: number | null
}

const keyOf = ({ wallet_id, epoch }: Pick<SessionRow, 'wallet_id' | 'epoch'>) => `in flight ${wallet_id} ${epoch}`

function readInFlight({ store }: Context, { wallet_id, epoch }: SessionRow, windowStart: number): InFlight {
  const counts = new Map<Spender, number>()
  let lowest: number | null = null
  for (const row of store.all<{ spender: Spender; n: number; lowest: number | null }>(
    // A payment behind the window was refused once. It does not hold the window back, even if it is no longer refused.
    `SELECT ${spenderColumn} AS spender, count(*) AS n, min(CASE WHEN revert IS NULL AND sequence >= ? THEN sequence END) AS lowest FROM payment
     WHERE status = 'PROCESSING' AND wallet_id = ? AND epoch = ? AND ${isRelayed('kind')} GROUP BY 1`,
    windowStart,
    wallet_id,
    epoch,
  )) {
    counts.set(row.spender, row.n)
    if (row.lowest !== null) lowest = Math.min(lowest ?? row.lowest, row.lowest)
  }
  return { counts, lowest }
}

/** Kept in memory, because each acceptance reads it. */
function inFlightOf(ctx: Context, session: SessionRow): InFlight {
  const windowStart = session.next_sequence - maxSpread - 1
  const cached = ctx.store.cached('payment', keyOf(session), () => readInFlight(ctx, session, windowStart))
  // The window has moved past it.
  return cached.lowest !== null && cached.lowest < windowStart ? readInFlight(ctx, session, windowStart) : cached
}

/** What is cached of a session's payments in flight, with a payment that has just been signed added. */
export function withPayment(ctx: Context, session: SessionRow, spender: Spender, sequence: number): CachedRow {
  const { counts, lowest } = inFlightOf(ctx, session)
  const added = new Map(counts).set(spender, (counts.get(spender) ?? 0) + 1)
  return [keyOf(session), { counts: added, lowest: lowest ?? sequence } satisfies InFlight]
}

/** There are no free slots while the session is being replaced. */
export function readSlots(ctx: Context, session: SessionRow, head: Block): Slots {
  const stored = inFlightOf(ctx, session)
  const counts = new Map(stored.counts)
  let total = [...counts.values()].reduce((sum, n) => sum + n, 0)
  let room = isReplaced(ctx, session.wallet_id, head) ? 0 : issuable(session.next_sequence, stored.lowest, total)
  const inFlight = (spender: Spender) => counts.get(spender) ?? 0
  return {
    inFlight,
    of: (spender) =>
      slotsFor(
        spender === null ? 'owner' : 'agent',
        room,
        { own: inFlight(spender), byAgents: total - inFlight(null) },
        ctx.limits,
      ),
    take: (spender) => {
      counts.set(spender, inFlight(spender) + 1)
      total += 1
      room -= 1
    },
  }
}

/** Queued payments in signing order: spenders with the fewest in flight come first, each with its oldest first. */
export function queuedInTurn(ctx: Context, walletId: string, slots: Slots): { id: string; spender: Spender }[] {
  const queued = ctx.store.all<{ id: string; spender: Spender; place: number }>(
    `SELECT id, ${spenderColumn} AS spender,
       row_number() OVER (PARTITION BY agent_id, run_id IS NULL ORDER BY accepted_at, id) AS place FROM payment
     WHERE wallet_id = ? AND status = 'QUEUED' AND ${isRelayed('kind')} AND give_up_at > ? ORDER BY place, accepted_at, id LIMIT ?`,
    walletId,
    ctx.now(),
    maxConsidered,
  )
  const turn = ({ spender, place }: (typeof queued)[number]) => slots.inFlight(spender) + place
  // The sort is stable, so the oldest comes first within a turn.
  const turns = queued.map((payment) => ({ payment, at: turn(payment) }))
  return turns.sort((a, b) => a.at - b.at).map(({ payment }) => payment)
}
