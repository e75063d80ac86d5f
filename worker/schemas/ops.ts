import { z } from 'zod'
import { type Limits, userLimits } from '#domain/limits.ts'
import { type StopMode, stopModes } from '#domain/serviceStop.ts'
import type { SignUpMode } from '#domain/signUpMode.ts'

/** The API of operators, under /ops/api. Times are ISO 8601 UTC. */

const reason = z
  .string({ error: 'Say why' })
  .trim()
  .min(1, 'Say why')
  .max(500, 'The reason must be at most 500 characters')
/** Null: no limit. */
const maxUses = z.int('Uses must be a whole number').min(1, 'Uses must be 1 or more').max(1_000_000).nullable()
/** Null: it does not expire. */
const expiresInDays = z.int('Days must be a whole number').min(1, 'Days must be 1 or more').max(3_650).nullable()

export const CreatePasscode = z.object({
  label: z.string().trim().min(1, 'Enter a label').max(100, 'The label must be at most 100 characters'),
  maxUses,
  expiresInDays,
  reason,
})
/** What is absent stays. Days count from now. */
export const EditPasscode = z.object({ maxUses: maxUses.optional(), expiresInDays: expiresInDays.optional(), reason })
export const Reason = z.object({ reason })

const mode = z.enum(stopModes, { error: 'The mode must be none, new, sign or all' })
/** Stopping less than now needs `from`: the mode that the operator has seen and lifts. */
export const SetStop = z.object({ mode, from: mode.optional(), reason })

/** Rates of 0 would never be full again. */
const limit = (name: string) =>
  z
    .number({ error: `${name} must be a number` })
    .min(name.endsWith('PerSecond') ? 0.001 : 0, `${name} is too small`)
    .max(1e12, `${name} is too large`)
    .nullable()
    .optional()
/** What is absent stays; null: the deployment's limit again. */
export const SetLimits = z.object({
  limits: z
    .strictObject(Object.fromEntries(userLimits.map((name) => [name, limit(name)])))
    .refine((limits) => Object.keys(limits).length > 0, 'Name a limit'),
  reason,
})
/** A claim link or its token, or the payout's id. */
export const NamePayout = z.object({
  payout: z
    .string({ error: 'Enter a claim link or a payout’s id' })
    .trim()
    .min(1, 'Enter a claim link or a payout’s id')
    .max(500),
  reason,
})
/** `before`: rows older than this one. */
export const ReadAudit = z.object({ reason, before: z.int().min(1).nullable().optional() })
/** `cursor`: of the request before; absent: from the first account. */
export const Reproject = z.object({
  reason,
  cursor: z.string().max(300).optional(),
  dryRun: z.boolean(),
  /** D1 was restored to an earlier time. */
  restored: z.boolean().default(false),
})
export const EndSessions = z.object({ reason, dryRun: z.boolean() })
/** `run`: absent for the newest export. `from`: the part to go on with. */
export const RestoreExport = z.object({
  reason,
  run: z.string().max(50).optional(),
  from: z.int().min(0).default(0),
  dryRun: z.boolean(),
})
/** `back` needs `to`: the time that the account goes back to. */
export const RestoreUser = z.object({
  reason,
  act: z.enum(['freeze', 'back', 'continue', 'unfreeze'], { error: 'freeze, back, continue or unfreeze' }),
  to: z.iso.datetime({ error: 'A time such as 2026-11-20T09:30:00Z' }).optional(),
  dryRun: z.boolean().default(false),
  /** `continue`: this list of what nobody can explain is accepted as it is. */
  accept: z.string().max(64).optional(),
  /** `back`: also if D1 does not have everything. */
  unsent: z.boolean().default(false),
  /** A request before this one was the same act. */
  again: z.boolean().default(false),
})
/** An email address or id; empty: accounts that are suspended. */
export const FindUsers = z.object({ find: z.string().trim().max(320).default('') })

export type Passcode = {
  id: string
  label: string
  used: number
  maxUses: number | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Whether it still works. */
  state: 'active' | 'used_up' | 'expired' | 'revoked'
}
/** The passcode itself is shown once: only its HMAC is stored. */
export type CreatedPasscode = Passcode & { passcode: string }
export type PasscodeList = { signUp: SignUpMode; passcodes: Passcode[] }
export type OperatorAction = {
  id: string
  at: string
  actor: string
  action: string
  subject: string
  reason: string
  detail: Record<string, unknown>
}

/** What is stopped for everybody. `since` null: nothing ever was. */
export type ServiceStop = { mode: StopMode; since: string | null }
export type FoundUser = { id: string; email: string; createdAt: string; suspendedSince: string | null }
/** Work that does not move, and why. */
export type StuckWork = { kind: string; id: string; status: string; since: string; why: string }
export type AccountReport = {
  user: FoundUser
  suspended: boolean
  agentsPaused: boolean
  /** Set by operators for this account; others are the deployment's. */
  limits: Partial<Limits>
  /** Gas units of today (UTC). */
  gas: { limit: number; used: number }
  counts: { wallets: number; agents: number; openPayments: number; openPayouts: number }
  stuck: StuckWork[]
}
export type Suspension = { suspended: boolean; since: string | null; stoppedPayments: number }
export type AuditPage = {
  entries: { seq: number; at: string; event: string; ref: string; data: Record<string, unknown> }[]
  /** For the next page; null: this was the last. */
  before: number | null
}
export type ClaimLinkState = { payoutId: string; userId: string; status: string; isDown: boolean }
export type StuckJob = StuckWork & { userId: string; retryAt: string }
export type RelayerState = {
  name: string
  address: string | null
  /** Decimal ETH; null: it could not be read. */
  balance: string | null
  /** Why nothing is sent, or its last error; null: it works. */
  problem: string | null
  waiting: number
  oldestAt: string | null
  inFlight: number
}
/** `overdueTreasuries`: work that has not moved for two minutes; at most 100 users. */
export type Stuck = { overdueTreasuries: { userId: string; since: string }[]; jobs: StuckJob[] }
/** Of all accounts. `failing`: switched on, and every attempt fails. `stoppedSince` null: they are sent. */
export type WebhooksState = {
  on: number
  failing: number
  disabled: number
  longestFailing: { id: string; userId: string; since: string }[]
  stoppedSince: string | null
}
export type OpsStatus = {
  ready: boolean
  problems: string[]
  stop: ServiceStop
  webhooks: WebhooksState
  alerts: { key: string; text: string; since: string }[]
  relayers: RelayerState[]
  overdueTreasuries: number
  suspended: number
  signUp: SignUpMode
}

/**
 * One keyring. `from`: when the version became or becomes current; null: from the beginning. `remaining`: what still
 * needs the older versions. `removableFrom`: when they can be removed; null: there is none, or what remains does not end
 * by itself.
 */
export type KeyringState = {
  name: string
  versions: { version: number; from: string | null; state: 'older' | 'current' | 'distributed' }[]
  remaining: string[]
  removableFrom: string | null
}

/**
 * Of one request. `rows`: what the accounts have for each table of D1; `changed`: of these, what D1 lacked or had otherwise.
 * `cursor`: for the next request; null: this was the last.
 */
export type ReprojectReply = {
  accounts: number
  rows: Record<string, number>
  changed: Record<string, number>
  problems: { userId: string; problem: string }[]
  cursor: string | null
}

/**
 * Of one request. `rows`: what its parts have; `changed`: of these, what D1 lacked; `passwords` beside the tables. `parts`: of
 * the whole export. `next`: the part that the next request begins with; null: this was the last.
 */
export type RestoreExportReply = {
  run: string
  startedAt: string
  rows: Record<string, number>
  changed: Record<string, number>
  parts: number
  next: number | null
}

/**
 * Progress of one account's restore. `waitsUntil`: finalized blocks must be later than this; `finalAt`: how far they
 * are.
 */
export type UserRestoreReply = {
  step: 'open' | 'frozen' | 'going_back' | 'waiting' | 'importing' | 'unexplained' | 'done'
  doing: string
  waitsUntil: string | null
  finalAt: string | null
  counts: Record<string, number>
  unexplained: { what: string; ref: string; detail: string }[]
  /** Names exactly this list, to accept it; null while more may follow. */
  list: string | null
}
