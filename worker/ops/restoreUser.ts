import { nothingStopped } from '#domain/stopState.ts'
import { isoOf } from '#domain/time.ts'
import type { RestoreState, UserRestoreReply } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { forgetKeyUse } from '../db/keys.ts'
import { readStopRecord } from '../db/operatorControls.ts'
import type { UserRestoreRow } from '../db/schema.ts'
import { changeRestore, openRestore, openRestores, startRestore } from '../db/userRestores.ts'
import { AppError } from '../errors.ts'
import { syncEndedSessions } from '../identity/endSessions.ts'
import { newId } from '../identity/secrets.ts'
import { logError } from '../observability/log.ts'
import { unconfirmedBy, writeStops } from '../stops/sync.ts'
import {
  type Accepted,
  type Frozen,
  noProgress,
  type Progress,
  type StepResult,
} from '../treasury/account/restore/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'
import { type Act, recordAct } from './record.ts'
import { knownUser } from './users.ts'

type RestoreDeps = Pick<Deps, 'env' | 'db' | 'now'>

/** Maximum duration of one request, and of one account in a cron run. */
const maxMs = 8_000 // 8 seconds
const cronMs = 2_000 // 2 seconds

export type RestoreInput = {
  act: 'status' | 'freeze' | 'back' | 'continue' | 'unfreeze'
  to?: string | undefined
  accept?: string | undefined
  lost: boolean
  again: boolean
}

const doing: Record<RestoreState, string> = {
  frozen: 'refuses everything, and signs nothing any more',
  rolled_back: 'ends credentials, webhooks, approvals and session keys, and pauses every group',
  waiting: 'waits until nothing that was signed before the freeze can be executed',
  copying: 'copies payments and payouts from History',
  scanning: 'reads the chain',
  needs_review: 'an operator has to review what is unexplained',
  open: 'works again',
  open_watched: 'works again; for 48 hours payments that equal a transfer without a record ask the owner',
}

const replyOf = (state: RestoreState, more: Partial<UserRestoreReply> = {}): UserRestoreReply => ({
  state,
  doing: doing[state],
  waitsUntil: null,
  finalAt: null,
  unexplained: [],
  list: null,
  ...more,
})

const progressOf = ({ progress }: UserRestoreRow): Progress =>
  progress === null ? noProgress : (JSON.parse(progress) as Progress)

/** Restores one account after its Treasury was rolled back, step by step (docs/recovering.md). Every act can be repeated. */
export async function restoreUser(
  deps: Deps,
  act: Act,
  userId: string,
  input: RestoreInput,
): Promise<UserRestoreReply> {
  await knownUser(deps, userId)
  const { again: _, ...detail } = input
  if (input.act !== 'status' && !input.again) await recordAct(deps, act, 'user.restore', userId, detail)
  switch (input.act) {
    case 'status':
      return statusOf(await openRestore(deps.db, userId))
    case 'freeze':
      return freeze(deps, userId)
    case 'back':
      return rollBack(deps, userId, input)
    case 'continue':
      return continueRestore(deps, userId, input.accept === undefined ? null : { by: act.actor, list: input.accept })
    case 'unfreeze':
      return unfreeze(deps, userId)
  }
}

const statusOf = (row: UserRestoreRow | null): UserRestoreReply =>
  row ? replyOf(row.state, { unexplained: progressOf(row).unexplained }) : replyOf('open')

async function frozenAccount({ db }: RestoreDeps, userId: string): Promise<UserRestoreRow> {
  const row = await openRestore(db, userId)
  if (!row) throw new AppError('conflict', 'This account is not frozen: freeze it first.')
  return row
}

const changedMeanwhile = () => new AppError('conflict', 'The restore has gone on in the meantime: see its status.')

async function change(...input: Parameters<typeof changeRestore>): Promise<void> {
  if (!(await changeRestore(...input))) throw changedMeanwhile()
}

/** Throws `unavailable` if a stop object does not confirm what D1 records: a rolled-back object learns it only from there. */
async function tellStops({ env, db }: RestoreDeps, userId: string): Promise<void> {
  const { freezes } = await readStopRecord(db)
  const state = { ...nothingStopped, freezes: { [userId]: freezes[userId]! } }
  const missing = unconfirmedBy(await writeStops(env, { state }), state)
  if (missing.length > 0)
    throw new AppError('unavailable', `The stop objects of ${missing.join(', ')} have not confirmed: try again.`)
}

/** Records the end. What the stop objects say of a restore that has ended has no effect, so the cron may tell them later. */
async function end(deps: RestoreDeps, row: UserRestoreRow, state: RestoreState): Promise<void> {
  await forgetKeyUse(deps.db, row.userId)
  await changeRestore(deps.db, row, { state }, deps.now())
  await tellStops(deps, row.userId).catch((error: Error) => logError('stops_not_told', { user: row.userId }, error))
}

/**
 * Recorded in D1 first, because the object loses its own record by going back. Each freeze has a new id: an object of a time
 * at which it knew this freeze as ended would open itself.
 */
async function freeze(deps: RestoreDeps, userId: string): Promise<UserRestoreReply> {
  const { db, now } = deps
  await startRestore(db, userId, newId('rst'), now())
  await forgetKeyUse(db, userId)
  const row = await frozenAccount(deps, userId)
  await tellStops(deps, userId)
  if (row.state !== 'frozen') return statusOf(row)
  const frozen = await freezeTreasury(deps, row)
  if (frozen === null)
    return replyOf('frozen', {
      doing: 'signs nothing more after ten seconds, but the object fails: freeze again, or go back with --lost',
    })
  if (frozen.isEnded) {
    // D1 missed the end of this freeze.
    await end(deps, row, 'open')
    return freeze(deps, userId)
  }
  // The account has refused everything since History confirmed it.
  const confirmed = frozen.confirmed ?? row.confirmed
  await change(db, row, { frozenAt: row.frozenAt ?? now(), confirmed })
  return replyOf('frozen', {
    doing: confirmed
      ? 'History has everything; the account can be rolled back, or opened with unfreeze'
      : 'History has not confirmed that it has everything: freeze again, or go back with --lost',
  })
}

/** Null if the object fails. */
async function freezeTreasury({ env }: RestoreDeps, { userId, id }: UserRestoreRow): Promise<Frozen | null> {
  try {
    return await treasuryOf(env, userId).restore().freeze(id)
  } catch (error) {
    logError('account_not_frozen', { user: userId }, error)
    return null
  }
}

/**
 * From here on, only the end of the restore opens the account. `to` rolls the object back; without it, the operator has put a
 * copy of its file back. Also starts again, for another time or if the object turns out to be lost.
 */
async function rollBack(deps: RestoreDeps, userId: string, { to, lost }: RestoreInput): Promise<UserRestoreReply> {
  const { env, db, now } = deps
  const at = to === undefined ? null : Date.parse(to)
  if (at !== null && !(at < now()))
    throw new AppError('invalid_input', 'The time must be in the past.', { field: 'to' })
  const row = await frozenAccount(deps, userId)
  const isLost = lost || row.isLost
  // It is being opened by `unfreeze`, which fails if the object is lost.
  if (row.state === 'open' && !lost) throw changedMeanwhile()
  if (row.confirmed === null && !isLost)
    throw new AppError(
      'conflict',
      'History has not confirmed that it has everything: freeze again, or go back with --lost.',
    )
  await tellStops(deps, userId)
  await change(db, row, { state: 'rolled_back', progress: null, isLost })
  // A cron run that read the object before it froze may have written in the meantime.
  await forgetKeyUse(db, userId)
  if (at === null) return replyOf('rolled_back')
  try {
    await treasuryOf(env, userId).restore().rollBack(row.id, at)
  } catch (error) {
    // The object aborts itself so that it is reloaded in its earlier state.
    if (!`${error}`.includes('is rolled back')) {
      logError('account_not_rolled_back', { user: userId }, error)
      throw new AppError('unavailable', `The object was not rolled back: ${(error as Error).message}`)
    }
  }
  // Closes the rolled-back object before other callers reach it. If this fails, it learns it from the stop object.
  await freezeTreasury(deps, row)
  return replyOf('rolled_back')
}

/** Does steps until time is up, or until the restore waits or has ended. */
async function continueRestore(
  deps: RestoreDeps,
  userId: string,
  accept: Accepted | null,
  forMs = maxMs,
): Promise<UserRestoreReply> {
  const until = deps.now() + forMs
  // The object has forgotten which login sessions ended since the time that it went back to.
  await syncEndedSessions(deps, userId)
  for (;;) {
    const row = await frozenAccount(deps, userId)
    if (row.state === 'frozen') return replyOf('frozen')
    if (row.state === 'open') return unfreeze(deps, userId)
    const progress = progressOf(row)
    const result = await stepOf(deps, row, { progress, accept })
    if (result.state === 'open' || result.state === 'open_watched') {
      await end(deps, row, result.state)
      return replyOf(result.state)
    }
    const isSame = result.state === row.state && JSON.stringify(result.progress) === JSON.stringify(progress)
    if (!isSame) await changeRestore(deps.db, row, { state: result.state, progress: JSON.stringify(result.progress) })
    if (isSame || result.wait || result.state === 'needs_review' || deps.now() > until) return fromStep(result)
  }
}

/** Throws `unavailable`, with its reason, if the step fails; it can be repeated. */
async function stepOf(
  { env }: RestoreDeps,
  row: UserRestoreRow,
  more: { progress: Progress; accept: Accepted | null },
): Promise<StepResult> {
  const { id, state, startedAt, frozenAt, isLost, userId } = row
  const confirmed = isLost ? null : row.confirmed
  try {
    return (await treasuryOf(env, userId)
      .restore()
      .step({ id, state, startedAt, frozenAt, confirmed, ...more })) as StepResult
  } catch (error) {
    logError('restore_step_failed', { user: userId }, error)
    throw new AppError('unavailable', `${state}: ${(error as Error).message}`, { cause: error })
  }
}

const iso = (seconds: number | undefined) => (seconds ? isoOf(seconds * 1000) : null)

const fromStep = ({ state, progress, wait, list }: StepResult): UserRestoreReply =>
  replyOf(state, { waitsUntil: iso(wait?.until), finalAt: iso(wait?.finalAt), unexplained: progress.unexplained, list })

/**
 * Opens an account that was not rolled back. D1 says first that it is being opened, from which moment nothing rolls the
 * object back any more.
 */
async function unfreeze(deps: RestoreDeps, userId: string): Promise<UserRestoreReply> {
  const known = await frozenAccount(deps, userId)
  if (known.state !== 'frozen' && known.state !== 'open')
    throw new AppError('conflict', 'The object was rolled back: only `continue` opens the account.')
  if (known.state === 'frozen') await change(deps.db, known, { state: 'open' })
  const row = await frozenAccount(deps, userId)
  const { isOpen } = await treasuryOf(deps.env, userId)
    .restore()
    .unfreeze(row.id)
    .catch((error: Error) => {
      throw new AppError('unavailable', `The account was not opened: ${error.message}`, { cause: error })
    })
  if (!isOpen) {
    await change(deps.db, row, { state: 'frozen' })
    throw new AppError('conflict', 'History has more than the object, which was rolled back: go back with --lost.')
  }
  await end(deps, row, 'open')
  return replyOf('open')
}

const unattended: readonly RestoreState[] = ['rolled_back', 'waiting', 'copying', 'scanning', 'open']

/** Called by the cron. Continues restores whose command has ended. One that fails does not delay the others. */
export async function continueRestores(deps: RestoreDeps): Promise<void> {
  for (const { userId, state } of await openRestores(deps.db))
    if (unattended.includes(state))
      await continueRestore(deps, userId, null, cronMs).catch((error) =>
        logError('restore_not_continued', { user: userId }, error),
      )
}
