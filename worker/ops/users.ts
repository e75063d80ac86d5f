import type { Limits } from '#domain/limits.ts'
import { isoOf } from '#domain/time.ts'
import type { AccountReport, AuditPage, FoundUser, StuckWork, Suspension } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { findUsersForOperators, writeSuspension } from '../db/operatorControls.ts'
import { AppError } from '../errors.ts'
import type { AuditEntry, AccountReport as Report } from '../treasury/account/operators/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type Act, recordAct } from './record.ts'

const maxFound = 100

/** Accounts with this email address or id. An empty text finds all suspended accounts. */
export async function findUsers({ db }: Pick<Deps, 'db'>, text: string): Promise<FoundUser[]> {
  const rows = await findUsersForOperators(db, text, maxFound)
  return rows.map(({ createdAt, suspendedSince, ...row }) => ({
    ...row,
    createdAt: isoOf(createdAt),
    suspendedSince: isoOf(suspendedSince),
  }))
}

/** Throws `not_found` for an unknown id, because calling its Treasury would create one. */
export async function knownUser(deps: Pick<Deps, 'db'>, userId: string): Promise<FoundUser> {
  const user = (await findUsers(deps, userId)).find(({ id }) => id === userId)
  if (!user) throw new AppError('not_found', 'There is no account with this id.')
  return user
}

export async function accountReport(deps: Deps, userId: string): Promise<AccountReport> {
  const user = await knownUser(deps, userId)
  const { suspension, stuck, ...report } = (await treasuryOf(deps.env, userId).operators().report()) as Report
  return { user, suspended: suspension.since !== null, ...report, stuck: stuck.map(stuckView) }
}

const stuckView = ({ since, ...work }: Report['stuck'][number]): StuckWork => ({ ...work, since: isoOf(since) })

/** The Treasury decides; D1 gets a copy for lists. Repeating the call repairs a missing copy. */
export async function setSuspended(deps: Deps, act: Act, userId: string, isSuspended: boolean): Promise<Suspension> {
  await knownUser(deps, userId)
  await recordAct(deps, act, isSuspended ? 'user.suspend' : 'user.unsuspend', userId)
  const { stoppedPayments, ...state } = await treasuryOf(deps.env, userId).operators().suspend(isSuspended)
  await writeSuspension(deps.db, userId, state)
  const { since } = state
  return { suspended: since !== null, since: isoOf(since), stoppedPayments }
}

/** Absent limits are unchanged; null resets one to the deployment's. Returns all limits set for the account. */
export async function setLimits(
  deps: Deps,
  act: Act,
  userId: string,
  limits: { [Name in keyof Limits]?: number | null },
): Promise<Partial<Limits>> {
  await knownUser(deps, userId)
  await recordAct(deps, act, 'user.limits', userId, limits)
  return treasuryOf(deps.env, userId).operators().setLimits(limits)
}

/** Makes the account immediately run work that waits for an alarm. */
export async function wakeUser(deps: Deps, act: Act, userId: string): Promise<void> {
  await knownUser(deps, userId)
  await recordAct(deps, act, 'user.wake', userId)
  await treasuryOf(deps.env, userId).operators().wake()
}

/** Reads 100 rows, newest first. Reading is recorded as an action, because the log shows whom the account pays. */
export async function readAudit(deps: Deps, act: Act, userId: string, before: number | null): Promise<AuditPage> {
  await knownUser(deps, userId)
  await recordAct(deps, act, 'user.audit', userId, { before })
  // RPC types turn a record of unknown values into never.
  const rows = (await treasuryOf(deps.env, userId).operators().readAudit(before)) as AuditEntry[]
  const last = rows.at(-1)?.seq ?? 1
  return { entries: rows.map(({ at, ...row }) => ({ ...row, at: isoOf(at) })), before: last > 1 ? last : null }
}
