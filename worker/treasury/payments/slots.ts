import { issuable, maxSpread, slotsFor } from '#domain/intent.ts'
import type { Block } from '../../chain/types.ts'
import type { Context } from '../context.ts'
import type { SessionRow } from '../storage/rows.ts'

/** Shares of a wallet's slots for payments in flight: the owner's (`agentId` null) and each agent's. */

/** How many queued payments are considered, including those that a smaller session has no room for. */
const maxConsidered = 1_000

export type Slots = {
  /** Nonces that this principal may take now. */
  of: (agentId: string | null) => number
  /** Payments in flight of this principal. */
  inFlight: (agentId: string | null) => number
  take: (agentId: string | null) => void
}

/** There are no free slots while the session is being replaced. */
export function readSlots(ctx: Context, { wallet_id, epoch, next_sequence }: SessionRow, head: Block): Slots {
  const counts = new Map<string | null, number>()
  let total = 0
  let lowest: number | null = null
  for (const row of ctx.store.all<{ agent_id: string | null; n: number; lowest: number | null }>(
    // A payment behind the window was refused once. It does not hold the window back, even if it is no longer refused.
    `SELECT agent_id, count(*) AS n, min(CASE WHEN revert IS NULL AND sequence >= ? THEN sequence END) AS lowest FROM payment
     WHERE status = 'PROCESSING' AND wallet_id = ? AND epoch = ? GROUP BY agent_id`,
    next_sequence - maxSpread - 1,
    wallet_id,
    epoch,
  )) {
    counts.set(row.agent_id, row.n)
    total += row.n
    if (row.lowest !== null) lowest = Math.min(lowest ?? row.lowest, row.lowest)
  }
  let room = isReplaced(ctx, wallet_id, head) ? 0 : issuable(next_sequence, lowest, total)
  const inFlight = (agentId: string | null) => counts.get(agentId) ?? 0
  return {
    inFlight,
    of: (agentId) =>
      slotsFor(
        agentId === null ? 'owner' : 'agent',
        room,
        { own: inFlight(agentId), byAgents: total - inFlight(null) },
        ctx.limits,
      ),
    take: (agentId) => {
      counts.set(agentId, inFlight(agentId) + 1)
      total += 1
      room -= 1
    },
  }
}

const isReplaced = (ctx: Context, walletId: string, head: Block) =>
  ctx.store.first(
    `SELECT 1 FROM wallet_action WHERE wallet_id = ? AND kind IN ('rotate','setSession') AND status IN ('draining','sent')
       AND (deadline IS NULL OR deadline >= ?)`,
    walletId,
    head.timestamp,
  ) !== null

/** A principal's payments are signed in the order of their acceptance, so a new one waits for those before it. */
export const hasQueued = (ctx: Context, walletId: string, agentId: string | null) =>
  ctx.store.first(
    "SELECT 1 FROM payment WHERE status = 'QUEUED' AND wallet_id = ? AND agent_id IS ? LIMIT 1",
    walletId,
    agentId,
  ) !== null

/** Queued payments in signing order: principals with the fewest in flight come first, each with its oldest first. */
export function queuedInTurn(ctx: Context, walletId: string, slots: Slots): { id: string; agent_id: string | null }[] {
  const queued = ctx.store.all<{ id: string; agent_id: string | null; place: number }>(
    `SELECT id, agent_id, row_number() OVER (PARTITION BY agent_id ORDER BY created_at, id) AS place FROM payment
     WHERE wallet_id = ? AND status = 'QUEUED' AND give_up_at > ? ORDER BY place, created_at, id LIMIT ?`,
    walletId,
    ctx.now(),
    maxConsidered,
  )
  const turn = ({ agent_id, place }: (typeof queued)[number]) => slots.inFlight(agent_id) + place
  // The sort is stable, so the oldest comes first within a turn.
  const turns = queued.map((payment) => ({ payment, at: turn(payment) }))
  return turns.sort((a, b) => a.at - b.at).map(({ payment }) => payment)
}
