/** Users' Treasuries from inside: their memory, tables and alarms. */
import { runInDurableObject } from 'cloudflare:test'
import type { RelayJob } from '../../worker/relayer/api.ts'
import { runAlarm } from '../../worker/treasury/alarmHandlers.ts'
import type { AlarmKind, Context } from '../../worker/treasury/core/context.ts'
import { Outbox } from '../../worker/treasury/outbox/delivery/flush.ts'
import { BranchUnclear } from '../../worker/treasury/settlement/branch.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { readAllNow } from '../../worker/treasury/wallets/idleReads.ts'
import { env } from './testEnv.ts'

/** A user's id, or a fixture that has it. */
export type User = string | { userId: string } | { user: string }

export const userIdOf = (user: User): string =>
  typeof user === 'string' ? user : 'userId' in user ? user.userId : user.user

export const treasuryOf = (user: User): DurableObjectStub<Treasury> => env.TREASURY.getByName(userIdOf(user))

export const inTreasury = <T>(
  user: User,
  work: (treasury: Treasury, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(treasuryOf(user), work)

/** All rows of a query on the Treasury's tables. */
export const rowsOf = <Row extends Record<string, SqlStorageValue>>(
  user: User,
  query: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> => inTreasury(user, (_, { storage }) => storage.sql.exec<Row>(query, ...values).toArray())

/** Replaces the Treasury's clock, in ms. */
export const setClock = (user: User, now: () => number): Promise<void> =>
  inTreasury(user, ({ context }) => {
    context.now = now
  })

/**
 * Does the Treasury's work of this kind now, before it is due, and all other work that is due. `scan` reads all wallets.
 * A run that was in progress may have read older state, so the work is then done once more.
 */
export const runNow = (user: User, kind: AlarmKind): Promise<void> =>
  inTreasury(user, async (treasury) => {
    if (kind === 'scan') readAllNow(treasury.context)
    treasury.context.schedule(kind, 1)
    await treasury.alarm()
    for (let run = treasury.alarms.inProgress(kind); run; run = treasury.alarms.inProgress(kind)) {
      await run
      await treasury.alarm()
    }
  })

/**
 * One run of this work, without its alarm. A run that a reading in progress made void is repeated, as the next alarm would do;
 * any other failure is thrown.
 */
export async function runStep(context: Context, kind: Exclude<AlarmKind, 'schema'>): Promise<number | null> {
  for (;;)
    try {
      return await runAlarm(context, new Outbox(context), kind)
    } catch (error) {
      if (!(error instanceof BranchUnclear)) throw error
    }
}

/** Changes the jobs that the Treasury submits to the Relayer. */
export const changeJobs = (user: User, change: (jobs: RelayJob[]) => RelayJob[]) =>
  inTreasury(user, (object) => {
    const { RELAYER } = object.context.env
    const getByName = (name: string) => {
      const stub = RELAYER.getByName(name)
      const submit = (jobs: RelayJob[]) => stub.submit(change(jobs))
      return new Proxy(stub, { get: (target, key) => (key === 'submit' ? submit : Reflect.get(target, key)) })
    }
    object.context.env = { ...object.context.env, RELAYER: { ...RELAYER, getByName } as typeof RELAYER }
  })
