import type { Region } from '#domain/region.ts'
import { editionOf, includesStops, mergedStops, nothingStopped, type StopState } from '#domain/stopState.ts'
import type { Bindings } from '../bindings.ts'
import { primaryDb } from '../db/d1.ts'
import { readStopRecord, recordStop } from '../db/operatorControls.ts'
import { within } from '../durable/within.ts'
import type { StopWrite } from './api.ts'
import { answerMs, stopObject, stopRegions } from './regions.ts'

type StopEnv = Pick<Bindings, 'DB' | 'SERVICE_STOPS' | 'STOP_REGIONS'>

/** `state` is null if the object did not answer. */
export type RegionAnswer = { region: Region; state: StopState | null }

const fromAll = async <T>(env: StopEnv, ask: (region: Region) => Promise<T>) =>
  Promise.all(
    stopRegions(env).map(async (region) => ({
      region,
      answer: await within(answerMs, () => ask(region)).catch(() => null),
    })),
  )

const newestOf = (states: StopState[]): StopState => states.reduce(mergedStops, nothingStopped)

/** What each object says is stopped. */
export const stopStates = async (env: StopEnv): Promise<RegionAnswer[]> =>
  (await fromAll(env, (region) => stopObject(env, region).report())).map(({ region, answer }) => ({
    region,
    state: answer?.state ?? null,
  }))

/** Writes to all objects at once; returns what each says after that. */
export const writeStops = async (env: StopEnv, write: StopWrite): Promise<RegionAnswer[]> =>
  (await fromAll(env, (region) => stopObject(env, region).write(write))).map(({ region, answer }) => ({
    region,
    state: answer,
  }))

/** Writes to one object, which decides between operators that lift stops at the same time. Throws if it does not answer. */
export const writeStopTo = (env: StopEnv, region: Region, write: StopWrite): Promise<StopState> =>
  within(answerMs, () => stopObject(env, region).write(write))

/** The regions whose objects have not confirmed everything in `state`. */
export const unconfirmedBy = (answers: RegionAnswer[], state: StopState): Region[] =>
  answers.filter((answer) => !answer.state || !includesStops(answer.state, state)).map(({ region }) => region)

/**
 * Brings all objects and D1's record to the newest state that any of them has, and writes acts that D1 missed. Called after
 * each change, by the objects until it succeeds, and by the cron, in case D1 or an object went back to an older state.
 */
export async function syncStops(
  env: StopEnv,
): Promise<{ state: StopState; unconfirmed: Region[]; isRecorded: boolean }> {
  const db = primaryDb(env.DB)
  const [record, reports] = await Promise.all([
    within(answerMs, () => readStopRecord(db)).catch(() => null),
    fromAll(env, (region) => stopObject(env, region).report()),
  ])
  const known = reports.flatMap(({ answer }) => answer ?? [])
  const state = newestOf([...(record ? [record] : []), ...known.map((report) => report.state)])
  const acts = [...new Map(known.flatMap((report) => report.acts).map((act) => [act.id, act])).values()]
  const isCurrent = record !== null && acts.length === 0 && includesStops(record, { stop: state.stop, freezes: {} })
  const [answers, isRecorded] = await Promise.all([
    fromAll(env, async (region) => {
      const report = reports.find((each) => each.region === region)!.answer
      if (!report) throw new Error('no answer')
      return includesStops(report.state, state) ? state : stopObject(env, region).write({ state })
    }),
    record !== null &&
      (isCurrent ||
        within(answerMs, () => recordStop(db, state.stop, acts)).then(
          () => true,
          () => false,
        )),
  ])
  const unconfirmed = unconfirmedBy(
    answers.map(({ region, answer }) => ({ region, state: answer })),
    state,
  )
  if (isRecorded) {
    const ids = acts.map(({ id }) => id)
    const edition = unconfirmed.length === 0 ? editionOf(state) : -1
    await fromAll(env, (region) => stopObject(env, region).confirm(edition, ids))
  }
  return { state, unconfirmed, isRecorded }
}
