import type { AuditEvent } from '#domain/events.ts'
import type { EndedChanges } from '#schemas/change.ts'
import { endGrants } from '../../approvals/grants.ts'
import type { Context } from '../../core/context.ts'
import { type AuditRow, isMade } from '../../core/storage/eventTables.ts'
import { presentMember } from '../../core/storage/members.ts'
import { audit } from '../../ledger/audit.ts'
import { deleteWebhook, switchOff } from '../../outbox/webhooks/endpoints.ts'
import { endConnections } from '../../policies/connections.ts'
import { remove } from '../../policies/members.ts'
import { deleteAgent } from '../changes/agents.ts'

type Recorded = { event: AuditEvent; ref: string; data: Record<string, unknown> }

/** What a change made that still acts, and how it is ended; null if nothing does. `isNew`: it was not there before. */
type Made = { what: keyof EndedChanges; isNew: boolean; end: () => void } | null

export function whatItMade(ctx: Context, { event, ref, data }: Recorded): Made {
  const { store } = ctx
  switch (event) {
    case 'webhook.created':
      return store.webhook(ref) ? { what: 'webhooks', isNew: true, end: () => void deleteWebhook(ctx, ref) } : null
    case 'webhook.changed':
    case 'webhook.secret_rotated':
      // It was there before: its owner may want it back.
      return store.webhook(ref)?.enabled === 1
        ? { what: 'webhooks', isNew: false, end: () => switchOff(ctx, ref) }
        : null
    case 'agent.created':
      return store.agent(ref) ? { what: 'agents', isNew: true, end: () => void deleteAgent(ctx, ref) } : null
    case 'agent.credential_replaced':
      return ofCredential(ctx, { agentId: ref, kind: String(data.kind), issuedAt: Number(data.issuedAt) })
    case 'connection.created':
      return store.connection(ref)?.status === 'active'
        ? {
            ...{ what: 'connections', isNew: true },
            end: () => void endConnections(ctx, { column: 'id', id: ref }, 'owner'),
          }
        : null
    case 'grant.created':
      return store.grant(ref)?.ended_at === null
        ? {
            ...{ what: 'permissions', isNew: true },
            end: () => void endGrants(ctx, { column: 'id', id: ref }, 'owner'),
          }
        : null
    case 'person.invited':
      return presentMember(store, ref) ? { what: 'people', isNew: true, end: () => void remove(ctx, ref) } : null
    default:
      return null
  }
}

/** The credential that the agent got with this change. The agent and its older ones stay. */
function ofCredential(ctx: Context, of: { agentId: string; kind: string; issuedAt: number }): Made {
  const { store } = ctx
  const { agentId, kind, issuedAt } = of
  const query = 'credential WHERE agent_id = ? AND kind = ? AND created_at = ?'
  const values = [agentId, kind, issuedAt] as const
  if (!store.agent(agentId) || store.count(query, ...values) === 0) return null
  return {
    what: 'credentials',
    isNew: true,
    end() {
      store.run(`DELETE FROM ${query}`, ...values)
      audit(store, ctx.now(), 'agent.credential_ended', agentId, { kind })
    },
  }
}

/** Ends what these changes made, where it still acts. Returns how many of each were ended. */
export function endMade(ctx: Context, ids: number[]): EndedChanges {
  const { store } = ctx
  const ended: EndedChanges = { webhooks: 0, agents: 0, credentials: 0, connections: 0, permissions: 0, people: 0 }
  return store.transaction(() => {
    const rows = store.all<Omit<AuditRow, 'event'> & { event: AuditEvent }>(
      `SELECT * FROM audit WHERE ${isMade} AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      JSON.stringify(ids),
    )
    for (const row of rows) {
      const made = whatItMade(ctx, { ...row, data: JSON.parse(row.data) as Record<string, unknown> })
      if (!made) continue
      made.end()
      ended[made.what] += 1
    }
    return ended
  })
}
