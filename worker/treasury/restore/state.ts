import type { StrayTransfer } from '#domain/restorePlan.ts'
import type { ChainId } from '../../chain/types.ts'
import type { KeptCursor } from '../../history/api.ts'
import { sha256 } from '../../identity/secrets.ts'
import type { Store } from '../storage/store.ts'
import type { Unexplained } from './rpcTypes.ts'

/** The stages in order. Each is stored when it begins, so that an interrupted restore resumes with it. */
export const stages = ['wait', 'account', 'payments', 'chain', 'check', 'end'] as const
export type Stage = (typeof stages)[number]

/** A transfer and its block. */
export type Signed = StrayTransfer & { block: number }

/** Progress of searching one wallet's logs for transfers that belong to no payment. */
export type Search = {
  reads: 'transfers' | 'announcements'
  /** First and last block, inclusive. Blocks before `next` have been read. */
  from: number
  to: number
  next: number
  strays: Signed[]
  /** Expiries (unix seconds) of payouts that such transfers have funded, by lower-case address. */
  expiries: Record<string, number>
}

export type RestoreState = {
  id: string
  /** `frozen`: the object has not been put back. `found`: the stop object says that a restore is in progress; nothing has begun here. */
  stage: Stage | 'frozen' | 'found'
  /** When the account was frozen (ms). */
  since: number
  /** The newest change here when the object was put back; History has later ones. */
  seq: number
  /** Changes and editions have higher numbers than this after the restore. */
  floor: number
  /** Time of the last row of the audit log when the object was put back (ms). */
  asOf: number
  /** The last deadline of any signature that may exist, in unix seconds by chain. */
  until: Partial<Record<ChainId, number>>
  cursor: KeptCursor
  /** The search of the current wallet's logs. */
  search?: Search | null
  /** Ids of wallets whose logs were matched with payments, and of those that were read. */
  matched: string[]
  read: string[]
  counts: Record<string, number>
  unexplained: Unexplained[]
  acceptedBy: string | null
}

export function restoreState(store: Store): RestoreState | null {
  const stored = store.meta('restore')
  return stored === null ? null : (JSON.parse(stored) as RestoreState)
}

export const writeState = (store: Store, state: RestoreState): void => store.setMeta('restore', JSON.stringify(state))

export const newState = (id: string, stage: RestoreState['stage'], since: number): RestoreState => ({
  id,
  stage,
  since,
  seq: 0,
  floor: 0,
  asOf: 0,
  until: {},
  cursor: { createdAt: 0, id: '' },
  matched: [],
  read: [],
  counts: {},
  unexplained: [],
  acceptedBy: null,
})

export function clearState(store: Store, endedId: string | null): void {
  store.setMeta('restore', null)
  if (endedId !== null) store.setMeta('restored', endedId)
}

export const endedRestore = (store: Store): string | null => store.meta('restored')

export const count = (state: RestoreState, what: string, n = 1): void => {
  state.counts[what] = (state.counts[what] ?? 0) + n
}

/** A short name of the list that does not depend on its order. */
export const nameOfList = (unexplained: Unexplained[]): string => {
  const lines = unexplained.map(({ what, ref, detail }) => JSON.stringify([what, ref, detail]))
  return sha256(lines.sort().join('\n')).slice(0, 12)
}

export function recordUnexplained(state: RestoreState, unexplained: Unexplained): void {
  if (!state.unexplained.some(({ what, ref }) => what === unexplained.what && ref === unexplained.ref))
    state.unexplained.push(unexplained)
}
