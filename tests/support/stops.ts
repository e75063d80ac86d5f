/** The operators' stop as Treasuries and Relayers follow it. */
import type { StopMode } from '../../worker/domain/serviceStop.ts'
import { type Freeze, nothingStopped } from '../../worker/domain/stopState.ts'
import { StopReader, stopReader } from '../../worker/stops/reader.ts'
import { stopObject, stopRegionOf } from '../../worker/stops/regions.ts'
import { stopStates, syncStops, unconfirmedBy, writeStops } from '../../worker/stops/sync.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { env } from './testEnv.ts'
import { inTreasury, type User } from './treasuries.ts'

/** The versions of stop objects: each later than the one before. */
let version = Date.now()

/** Sets the mode in all stop objects and in D1's record, without an operator. */
export async function setMode(mode: StopMode): Promise<void> {
  const states = await stopStates(env)
  const versions = states.map(({ state }) => state?.stop.version ?? 0)
  version = Math.max(version, Date.now(), ...versions) + 1
  await writeStops(env, { state: { stop: { mode, since: version, version }, freezes: {} } })
  const { unconfirmed, isRecorded } = await syncStops(env)
  if (unconfirmed.length > 0 || !isRecorded) throw new Error(`stopped only in part: without ${unconfirmed}`)
}

/** Tells the stop objects that the account is frozen, or no longer. */
export async function setFreeze(userId: string, restoreId: string | null): Promise<void> {
  version = Math.max(version, Date.now()) + 1
  const freezes: Record<string, Freeze> = { [userId]: { restoreId, version } }
  const state = { ...nothingStopped, freezes }
  if (unconfirmedBy(await writeStops(env, { state }), state).length > 0) throw new Error('not all objects were told')
}

/** Makes the Treasury wait for a new reading, as if it had just been loaded. */
export function forgetStop({ stop }: Context): void {
  stop.after = stop.reader.begun
  stop.readAt = Number.NEGATIVE_INFINITY
}

/** As if five seconds had passed since this isolate last read what is stopped. */
export function forgetReadings(): void {
  const reader = stopReader(env)
  if (reader.last) reader.last = { ...reader.last, readAt: Number.NEGATIVE_INFINITY }
}

/** Does `work` while the stop object does not respond to this Treasury, which has forgotten what it said. */
export const withoutStopObject = <T>(user: User, work: (treasury: Treasury) => Promise<T>): Promise<T> =>
  inTreasury(user, async (treasury) => {
    const { context } = treasury
    const { reader } = context.stop
    context.stop.reader = new StopReader(() => Promise.reject(new Error('the stop object is down')))
    context.stop.readAt = Number.NEGATIVE_INFINITY
    try {
      return await work(treasury)
    } finally {
      context.stop.reader = reader
      forgetStop(context)
    }
  })

/** Gives the Treasury a reader of its own that follows the Treasury's clock. */
export const ownReader = (user: User): Promise<void> =>
  inTreasury(user, ({ context }) => {
    const reader = new StopReader((env) => stopObject(env, stopRegionOf(env, null)).read(), 1)
    reader.clock = { now: () => context.now() }
    context.stop = { ...context.stop, reader, after: 0, readAt: Number.NEGATIVE_INFINITY }
  })
