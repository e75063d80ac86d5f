import { z } from 'zod'
import { type Limits, userLimits } from '#domain/limits.ts'
import { type StopMode, stopModes } from '#domain/serviceStop.ts'
import type { SignUpMode } from '#domain/signUpMode.ts'

import { shownText } from './common.ts'

/** The operators' API under /ops/api. Times are ISO 8601 UTC. */

const reason = shownText({ label: 'The reason', max: 500, lines: true, required: 'Enter a reason' })
/** Null if there is no limit. */
const maxUses = z.int('Uses must be a whole number').min(1, 'Uses must be 1 or more').max(1_000_000).nullable()
/** Null if it does not expire. */
const expiresInDays = z.int('Days must be a whole number').min(1, 'Days must be 1 or more').max(3_650).nullable()

export const CreatePasscode = z.object({
  label: shownText({ label: 'The label', max: 100, required: 'Enter a label' }),
  maxUses,
  expiresInDays,
  reason,
})
/** Absent fields are unchanged. Days count from now. */
export const EditPasscode = z.object({ maxUses: maxUses.optional(), expiresInDays: expiresInDays.optional(), reason })
export const Reason = z.object({ reason })

const mode = z.enum(stopModes, { error: 'The mode must be none, new, sign or all' })
/** A weaker mode requires `from`: the current mode, as seen by the operator. */
export const SetStop = z.object({ mode, from: mode.optional(), reason })

/** A bucket with a rate of 0 would never refill. */
const limit = (name: string) =>
  z
    .number({ error: `${name} must be a number` })
    .min(name.endsWith('PerSecond') ? 0.001 : 0, `${name} is too small`)
    .max(1e12, `${name} is too large`)
    .nullable()
    .optional()
/** Absent limits are unchanged; null resets one to the deployment's. */
export const SetLimits = z.object({
  limits: z
    .strictObject(Object.fromEntries(userLimits.map((name) => [name, limit(name)])))
    .refine((limits) => Object.keys(limits).length > 0, 'Specify at least one limit'),
  reason,
})
/** `payout` is a claim link, its token or the payout's id. */
export const NamePayout = z.object({
  payout: z
    .string({ error: 'Enter a claim link or a payout’s id' })
    .trim()
    .min(1, 'Enter a claim link or a payout’s id')
    .max(500),
  reason,
})
/** `before` selects rows older than this one. */
export const ReadAudit = z.object({ reason, before: z.int().min(1).nullable().optional() })
/** `cursor` is that of the previous reply. If absent, starts with the first account. */
export const Reproject = z.object({
  reason,
  cursor: z.string().max(300).optional(),
  dryRun: z.boolean(),
  /** Whether D1 was restored to an earlier time. */
  restored: z.boolean().default(false),
})
export const EndSessions = z.object({ reason, dryRun: z.boolean() })
/** `run` is absent for the newest export. `from` is the part to continue with. */
export const RestoreExport = z.object({
  reason,
  run: z.string().max(50).optional(),
  from: z.int().min(0).default(0),
  dryRun: z.boolean(),
})
/** `to`, with `back`: the time that the object is rolled back to; absent if a copy of its file was put back. */
export const RestoreUser = z.object({
  reason,
  act: z.enum(['status', 'freeze', 'back', 'continue', 'unfreeze'], {
    error: 'act must be status, freeze, back, continue or unfreeze',
  }),
  to: z.iso.datetime({ error: 'to must be a time such as 2026-11-20T09:30:00Z' }).optional(),
  /** `continue`: accepts exactly this list of unexplained items. */
  accept: z.string().max(64).optional(),
  /** `back`: the object is lost, and History may not have everything of it. */
  lost: z.boolean().default(false),
  /** Repeats the act of an earlier request, which is not recorded again. */
  again: z.boolean().default(false),
})
/** `find` is an email address or id. An empty text finds suspended accounts. */
export const FindUsers = z.object({ find: z.string().trim().max(320).default('') })

export type Passcode = {
  id: string
  label: string
  used: number
  maxUses: number | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** Whether the passcode still works, or why not. */
  state: 'active' | 'used_up' | 'expired' | 'revoked'
}
/** The passcode itself is shown only once, because only its HMAC is stored. */
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

/**
 * The stop for all accounts. `since` is null if nothing was ever stopped. `unconfirmed`: the regions whose objects do not
 * have this state yet. It is repeated every few seconds; meanwhile they may follow the previous one.
 */
export type ServiceStop = { mode: StopMode; since: string | null; unconfirmed: string[] }
export type FoundUser = { id: string; email: string; createdAt: string; suspendedSince: string | null }
/** Stuck work, and why it waits. */
export type StuckWork = { kind: string; id: string; status: string; since: string; why: string }
export type AccountReport = {
  user: FoundUser
  suspended: boolean
  agentsPaused: boolean
  /** Limits that operators have set for this account. For all others the deployment's apply. */
  limits: Partial<Limits>
  /** Today's gas units (UTC). */
  gas: { limit: number; used: number }
  /** Payments and payouts are counted up to 1,000. */
  counts: { wallets: number; agents: number; openPayments: number; openPayouts: number }
  stuck: StuckWork[]
}
export type Suspension = { suspended: boolean; since: string | null; stoppedPayments: number }
export type AuditPage = {
  entries: { seq: number; at: string; event: string; ref: string; data: Record<string, unknown> }[]
  /** `before` of the next page; null on the last page. */
  before: number | null
}
export type ClaimLinkState = { payoutId: string; userId: string; status: string; isDown: boolean }
export type StuckJob = StuckWork & { userId: string; retryAt: string }
export type RelayerState = {
  name: string
  address: string | null
  /** Decimal ETH, or null if it could not be read. */
  balance: string | null
  /** Why nothing is sent, or the last error; null if it works. */
  problem: string | null
  waiting: number
  oldestAt: string | null
  inFlight: number
}
/** What reads idle wallets together (worker/watch/). */
export type WatchReport = {
  name: string
  /** How many wallets it has, and how many of them are left out because they are busy. */
  wallets: number
  busy: number
  secondsBetweenSweeps: number
  /** The newest sweep that read all of them; null before the first. `woken`: for how many wallets it started a reading. */
  lastSweep: { at: string; block: number; ms: number; woken: number } | null
  /** Why it is late or the newest sweep ended early; null if it works. */
  problem: string | null
}
/** `overdueTreasuries` has up to 100 accounts whose work has made no progress for two minutes. */
export type Stuck = { overdueTreasuries: { userId: string; since: string }[]; jobs: StuckJob[] }
/** Webhooks of all accounts. `failing`: switched on, but every attempt fails. `stoppedSince` is null if they are sent. */
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
 * One keyring. `from` is when the version became or becomes current; null for the first version. `remaining` lists what
 * still needs the older versions. `removableFrom` is when they can be removed; null if there are none, or if something
 * that needs them does not end by itself.
 */
export type KeyringState = {
  name: string
  versions: { version: number; from: string | null; state: 'older' | 'current' | 'distributed' }[]
  remaining: string[]
  removableFrom: string | null
}

/**
 * Result of one request. `rows` counts the accounts' rows by table of D1, and `changed` those of them that were missing
 * from D1 or different there. `cursor` is for the next request; null after the last one.
 */
export type ReprojectReply = {
  accounts: number
  rows: Record<string, number>
  changed: Record<string, number>
  problems: { userId: string; problem: string }[]
  cursor: string | null
}

/**
 * Result of one request. `rows` counts the rows of its parts by table, and `changed` those of them that were missing from
 * D1, plus `passwords`. `parts` is the number of parts of the whole export. `next` is the first part of the next request;
 * null after the last one.
 */
export type RestoreExportReply = {
  run: string
  startedAt: string
  rows: Record<string, number>
  changed: Record<string, number>
  parts: number
  next: number | null
}

/** The states of one account's restore, in order; it ends as `open` or `open_watched`. */
export const restoreStates = [
  'frozen',
  'rolled_back',
  'waiting',
  'copying',
  'scanning',
  'needs_review',
  'open',
  'open_watched',
] as const
export type RestoreState = (typeof restoreStates)[number]

/**
 * Progress of one account's restore. It waits for a finalized block later than `waitsUntil`; `finalAt` is the time of the
 * newest finalized one.
 */
export type UserRestoreReply = {
  state: RestoreState
  doing: string
  waitsUntil: string | null
  finalAt: string | null
  unexplained: { what: string; ref: string; detail: string }[]
  /** Identifies exactly this list, for accepting it. Null while more items may follow. */
  list: string | null
}
