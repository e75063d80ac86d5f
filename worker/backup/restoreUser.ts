import { nothingStopped } from '#domain/stopState.ts'
import { isoOf } from '#domain/time.ts'
import type { UserRestoreReply } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { forgetKeyUse } from '../db/keys.ts'
import { readStopRecord } from '../db/operatorControls.ts'
import { endRestore, openRestore, recordFrozen, startRestore } from '../db/userRestores.ts'
import { AppError } from '../errors.ts'
import { syncEndedSessions } from '../identity/endSessions.ts'
import { newId } from '../identity/secrets.ts'
import { logError } from '../observability/log.ts'
import { type Act, recordAct } from '../ops/record.ts'
import { knownUser } from '../ops/users.ts'
import { unconfirmedBy, writeStops } from '../stops/sync.ts'
import type { Frozen, RestoreProgress } from '../treasury/restore/rpcTypes.ts'
import { treasuryOf } from '../treasuryOf.ts'

/** Maximum duration of one request. */
const maxMs = 8_000 // 8 seconds

export type RestoreInput = {
  act: 'freeze' | 'back' | 'continue' | 'unfreeze'
  to?: string | undefined
  dryRun: boolean
  accept?: string | undefined
  unsent: boolean
  again: boolean
}

const replyOf = (step: UserRestoreReply['step'], doing: string): UserRestoreReply => ({
  step,
  doing,
  waitsUntil: null,
  finalAt: null,
  counts: {},
  unexplained: [],
  list: null,
})

const iso = (seconds: number | undefined) => (seconds ? isoOf(seconds * 1000) : null)

const fromProgress = ({ until, finalAt, ...rest }: RestoreProgress): UserRestoreReply => ({
  ...rest,
  waitsUntil: iso(until),
  finalAt: iso(finalAt),
})

/** Restores one account's Treasury to an earlier time, step by step (docs/operations.md). Every act can be repeated. */
export async function restoreUser(
  deps: Deps,
  act: Act,
  userId: string,
  input: RestoreInput,
): Promise<UserRestoreReply> {
  await knownUser(deps, userId)
  const { to, accept, unsent } = input
  const detail = { act: input.act, ...(to && { to }), ...(accept && { accept }), ...(unsent && { unsent }) }
  if (!input.dryRun && !input.again) await recordAct(deps, act, 'user.restore', userId, detail)
  switch (input.act) {
    case 'freeze':
      return freeze(deps, userId, input.dryRun)
    case 'back':
      return goBack(deps, userId, input)
    case 'continue':
      return goOn(deps, userId, act, input)
    case 'unfreeze':
      return unfreeze(deps, userId, input.dryRun)
  }
}

const frozenAccount = async ({ db }: Deps, userId: string) => {
  const row = await openRestore(db, userId)
  if (!row) throw new AppError('conflict', 'This account is not frozen: freeze it first.')
  return row
}

const putBack = () => new AppError('conflict', 'The object was put back: only `continue` opens the account.')

/**
 * Tells all stop objects whether the account is frozen, as D1 records it: an object that does not respond, or is rolled
 * back, learns it from there. Throws `unavailable` if one of them does not confirm.
 */
async function tellStops({ env, db }: Deps, userId: string): Promise<void> {
  const { freezes } = await readStopRecord(db)
  const state = { ...nothingStopped, freezes: { [userId]: freezes[userId]! } }
  const missing = unconfirmedBy(await writeStops(env, { state }), state)
  if (missing.length > 0)
    throw new AppError('unavailable', `The stop objects of ${missing.join(', ')} have not confirmed: try again.`)
}

/** After a freeze has ended, what the stop objects say of it has no effect, so the cron may tell them later. */
async function recordEnd(deps: Deps, userId: string, id: string): Promise<void> {
  await endRestore(deps.db, userId, id, deps.now())
  await tellStops(deps, userId).catch((error: Error) => logError('stops_not_told', { user: userId }, error))
}

/**
 * Recorded in D1 first, because the object loses its own record by going back. Each freeze has a new id: an object restored
 * to a time at which it knew this freeze as ended would open itself.
 */
async function freeze(deps: Deps, userId: string, isDry: boolean): Promise<UserRestoreReply> {
  if (isDry) return replyOf('open', 'would stop all work of this account and send what D1 is missing')
  await startRestore(deps.db, userId, newId('rst'), deps.now())
  await forgetKeyUse(deps.db, userId)
  const { id, frozenAt } = await frozenAccount(deps, userId)
  const frozen = await freezeTreasury(deps, userId, id, frozenAt === null)
  await tellStops(deps, userId)
  if (frozen === null)
    return replyOf(
      'frozen',
      'it signs nothing more after ten seconds, but the object fails: an operator may have to explain the last requests that it accepted',
    )
  if (frozen.isEnded) {
    // D1 missed the end of the previous restore.
    await recordEnd(deps, userId, id)
    return freeze(deps, userId, isDry)
  }
  if (frozen.isAnother) throw putBack()
  await recordFrozen(deps.db, userId, deps.now())
  return replyOf(
    'frozen',
    frozen.isSent
      ? 'frozen; History has everything that was accepted'
      : 'frozen; History does not have everything yet: freeze again before going back',
  )
}

/** Null if the object fails. */
async function freezeTreasury(deps: Deps, userId: string, id: string, isFirst: boolean): Promise<Frozen | null> {
  try {
    return await treasuryOf(deps.env, userId).restore().freeze(id, isFirst)
  } catch (error) {
    logError('account_not_frozen', { user: userId }, error)
    return null
  }
}

async function goBack(deps: Deps, userId: string, { to, dryRun, unsent }: RestoreInput): Promise<UserRestoreReply> {
  const at = to === undefined ? Number.NaN : Date.parse(to)
  if (!(at < deps.now())) throw new AppError('invalid_input', 'The time must be in the past.', { field: 'to' })
  const { id } = await frozenAccount(deps, userId)
  if (dryRun) return replyOf('frozen', `would go back to ${isoOf(at)}`)
  await tellStops(deps, userId)
  // A cron run that read the object before it froze may have written in the meantime.
  await forgetKeyUse(deps.db, userId)
  try {
    const { isSent } = await treasuryOf(deps.env, userId).restore().goBack(id, at, unsent)
    if (!isSent)
      throw new AppError('conflict', 'History does not have everything yet: freeze again, or go back with --unsent.')
  } catch (error) {
    if (error instanceof AppError) throw error
    // The object aborts itself so that it is reloaded in its earlier state.
    if (!`${error}`.includes('goes back')) {
      logError('account_not_put_back', { user: userId }, error)
      throw new AppError('unavailable', `The object was not put back: ${(error as Error).message}`)
    }
  }
  // Freezes the restored object before other callers reach it. If this fails, its first alarm or payment learns it from the stop object.
  await treasuryOf(deps.env, userId)
    .restore()
    .freeze(id, false)
    .catch((error: Error) => logError('account_not_told', { user: userId }, error))
  return replyOf('going_back', `going back to ${isoOf(at)}`)
}

async function goOn(deps: Deps, userId: string, { actor }: Act, input: RestoreInput): Promise<UserRestoreReply> {
  const { id, frozenAt, startedAt } = await frozenAccount(deps, userId)
  const treasury = treasuryOf(deps.env, userId)
  if (input.dryRun) return fromProgress((await treasury.restore().dryRun(id)) as RestoreProgress)
  const accept = input.accept === undefined ? null : { by: actor, list: input.accept }
  // The object has forgotten which login sessions ended since the time that it went back to.
  await syncEndedSessions(deps, userId)
  const until = deps.now() + maxMs
  for (;;) {
    const progress = (await treasury.restore().continue({ id, frozenAt, startedAt, accept })) as RestoreProgress
    if (progress.step === 'done') {
      await forgetKeyUse(deps.db, userId)
      await recordEnd(deps, userId, id)
    }
    if (progress.step !== 'importing' || deps.now() > until) return fromProgress(progress)
  }
}

async function unfreeze(deps: Deps, userId: string, isDry: boolean): Promise<UserRestoreReply> {
  const { id } = await frozenAccount(deps, userId)
  if (isDry) return replyOf('frozen', 'would open the account, unless it was put back')
  const { isOpen } = await treasuryOf(deps.env, userId)
    .restore()
    .unfreeze(id)
    .catch((error: Error) => {
      throw new AppError('unavailable', `The account was not opened: ${error.message}`, { cause: error })
    })
  if (!isOpen) throw putBack()
  await recordEnd(deps, userId, id)
  return replyOf('open', 'works again')
}
