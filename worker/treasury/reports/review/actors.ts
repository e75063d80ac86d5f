import type { ChangeActor } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'

/** Who may appear in the history without being a person or an agent, as rows and filters call them. */
const fixed = ['bursar', 'operator', 'recipient'] as const
/** The most that the filter offers. */
const maxActors = 100

export type NameActor = { of: (by: string) => ChangeActor; all: () => ChangeActor[] }

/** Says who acted, from `by` of a row. Each is looked up once. */
export function actorsOf(ctx: Context): NameActor {
  const known = new Map<string, ChangeActor>()
  const of = (by: string): ChangeActor => {
    const actor = known.get(by) ?? actorOf(ctx, by)
    known.set(by, actor)
    return actor
  }
  return { of, all: () => everybodyIn(ctx).map(of) }
}

function actorOf({ userId, store }: Context, by: string): ChangeActor {
  const other = fixed.find((type) => type === by)
  if (other) return { id: other, type: other, name: null }
  if (by === userId) return { id: 'owner', type: 'owner', name: null }
  const member = store.first<{ id: string; name: string | null; email: string }>(
    'SELECT id, name, email FROM member WHERE person_id = ? ORDER BY joined_at DESC LIMIT 1',
    by,
  )
  if (member) return { id: member.id, type: 'member', name: member.name ?? member.email }
  const name = store.agentName(by)
  return name === null ? { id: by || 'unknown', type: 'unknown', name: null } : { id: by, type: 'agent', name }
}

/** `by` of the rows of somebody whom a filter names. */
export function rowsBy({ userId, store }: Context, id: string): string {
  if (id === 'owner') return userId
  if (id === 'unknown') return ''
  return store.first<{ person_id: string | null }>('SELECT person_id FROM member WHERE id = ?', id)?.person_id ?? id
}

/** Everybody who is in the history, one read for each. */
function everybodyIn({ store }: Context): string[] {
  const found: string[] = []
  for (let last: string | null = null; found.length < maxActors; ) {
    const next: { by: string } | null = store.first<{ by: string }>(
      `SELECT "by" FROM audit INDEXED BY audit_change_by
       WHERE shown IS NOT NULL ${last === null ? '' : 'AND "by" > ?'} ORDER BY "by" LIMIT 1`,
      ...(last === null ? [] : [last]),
    )
    if (next === null) break
    last = next.by
    found.push(last)
  }
  return found
}
