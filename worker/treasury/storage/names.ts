import type { AgentRow, GroupRow } from './rows.ts'
import type { Store } from './store.ts'

/** Names for history: deleted agents and groups keep theirs. */
export const agentName = (store: Store, id: string | null): string | null =>
  id === null ? null : (store.first<Pick<AgentRow, 'name'>>('SELECT name FROM agent WHERE id = ?', id)?.name ?? null)

export const groupName = (store: Store, id: string): string =>
  store.first<Pick<GroupRow, 'name'>>('SELECT name FROM policy_group WHERE id = ?', id)?.name ?? ''
