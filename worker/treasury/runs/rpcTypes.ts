import type { z } from 'zod'
import type { RowCursor } from '#domain/lists.ts'
import type { Repeat } from '#domain/runs/repeat.ts'
import type { ReadRow } from '#domain/runs/row.ts'
import type { RunRowsQuery } from '#schemas/runs.ts'
import type { Decider } from '../approvals/rpcTypes.ts'
import type { Principal } from '../core/rpcTypes.ts'

/** A contact as it was when the run was made. */
export type NamedContact = {
  id: string
  name: string
  address: string | null
  email: string | null
  phone: string | null
  /** The member who changed it last, and when (ms). Null: its owner did. */
  changedBy: string | null
  updatedAt: number
}

export type CreateRunInput = {
  title: string
  walletId: string
  /** `failedOf`: the rows of that run which were not paid. */
  from: { rows: ReadRow[] } | { failedOf: string }
  /** The contacts that rows name, by the name; several with one name are not told apart. */
  contacts: Record<string, NamedContact[]>
  again: boolean
  /** Idempotency-Key. */
  key: string | null
  by: Pick<Decider, 'userId' | 'name'>
}

/** A run that an agent prepares: from the wallet of its group, with contacts from its whitelist. */
export type PrepareRunInput = {
  principal: Principal
  title: string
  rows: ReadRow[]
  again: boolean
  /** Idempotency-Key. */
  key: string
  /** A draft of the agent that is cancelled for this one. */
  replaces: string | null
}

export type DecideRunInput = { hash: string; by: Decider; passwordChecked: boolean }
export type RepeatInput = { every: Repeat; times: number } | null
export type RunsInput = { status: 'open' | 'ended' | 'all'; after: RowCursor | null }
export type RunRowsInput = z.output<typeof RunRowsQuery>
