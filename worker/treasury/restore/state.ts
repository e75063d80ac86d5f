import type { StrayTransfer } from '#domain/restorePlan.ts'
import type { ChainId } from '../../chain/types.ts'
import type { KeptCursor } from '../../db/restoreRows.ts'
import { sha256 } from '../../identity/secrets.ts'
import type { Store } from '../storage/store.ts'
import type { Unexplained } from './api.ts'

/** The steps in their order. Each is written when it begins, so a restore that was killed goes on with it. */
export const stages = ['wait', 'account', 'payments', 'chain', 'check', 'end'] as const
export type Stage = (typeof stages)[number]

/** A transfer, and the block that it is in. */
export type Signed = StrayTransfer & { block: number }

/** Transfers of one wallet that no payment has, while they are looked for in its logs. */
export type Search = {
  reads: 'transfers' | 'announcements'
  /** Blocks, both included; read up to `next`. */
  from: number
  to: number
  next: number
  strays: Signed[]
  /** Unix seconds by address in lower case: of the payouts that such a transfer has funded. */
  expiries: Record<string, number>
}

export type RestoreState = {
  id: string
  /** `frozen`: of the object before it goes back. `found`: D1 says that a restore is under way, and nothing has begun here. */
  stage: Stage | 'frozen' | 'found'
  /** When the account was frozen (ms). */
  since: number
  /** The highest number of the outbox here when it was put back: D1 has rows of later ones. */
  seq: number
  /** Numbers from this one on are given after the restore. */
  floor: number
  /** Time of the last row of the audit log when it was put back (ms). */
  asOf: number
  /** Unix seconds by chain: the last deadline of any signature that may exist. */
  until: Partial<Record<ChainId, number>>
  cursor: KeptCursor
  /** Of the wallet whose logs are being searched. */
  search?: Search | null
  /** Wallets whose logs were matched with payments, and those that were read. */
  matched: string[]
  read: string[]
  counts: Record<string, number>
  unexplained: Unexplained[]
  acceptedBy: string | null
}

/** Meta keys. `restored`: id of the last restore that ended here. */
const stateKey = 'restore'
const endedKey = 'restored'

export function restoreState(store: Store): RestoreState | null {
  const stored = store.meta(stateKey)
  return stored === null ? null : (JSON.parse(stored) as RestoreState)
}

export const writeState = (store: Store, state: RestoreState): void => store.setMeta(stateKey, JSON.stringify(state))

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
  store.run('DELETE FROM meta WHERE key = ?', stateKey)
  if (endedId !== null) store.setMeta(endedKey, endedId)
}

export const endedRestore = (store: Store): string | null => store.meta(endedKey)

export const count = (state: RestoreState, what: string, n = 1): void => {
  state.counts[what] = (state.counts[what] ?? 0) + n
}

/** Short, and the same in whatever order they were found. */
export const nameOfList = (unexplained: Unexplained[]): string => {
  const lines = unexplained.map(({ what, ref, detail }) => JSON.stringify([what, ref, detail]))
  return sha256(lines.sort().join('\n')).slice(0, 12)
}

export function noteUnexplained(state: RestoreState, unexplained: Unexplained): void {
  if (!state.unexplained.some(({ what, ref }) => what === unexplained.what && ref === unexplained.ref))
    state.unexplained.push(unexplained)
}
