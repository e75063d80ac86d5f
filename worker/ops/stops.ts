import { isWeaker, type StopMode } from '#domain/serviceStop.ts'
import { includesStops, mergedStops, nextStop, type StopState } from '#domain/stopState.ts'
import { isoOf } from '#domain/time.ts'
import type { ServiceStop, WebhooksState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { countWebhooks, listFailingWebhooks, webhooksStoppedSince, writeWebhookStop } from '../db/webhooks.ts'
import { AppError } from '../errors.ts'
import { type RegionAnswer, stopStates, syncStops, unconfirmedBy, writeStops, writeStopTo } from '../stops/sync.ts'
import { type Act, actRow, recordAct } from './record.ts'

/** What the stop objects say. Throws `unavailable` if none answers. */
export async function currentStop({ env }: Pick<Deps, 'env'>): Promise<ServiceStop> {
  const answers = await stopStates(env)
  return stopView(newestOf(answers), answers)
}

function newestOf(answers: RegionAnswer[]): StopState {
  const states = answers.flatMap(({ state }) => state ?? [])
  if (states.length === 0)
    throw new AppError('unavailable', 'No stop object answers. While that lasts, no session key signs.')
  return states.reduce(mergedStops)
}

const stopView = (state: StopState, answers: RegionAnswer[]): ServiceStop => ({
  mode: state.stop.mode,
  since: isoOf(state.stop.since),
  unconfirmed: unconfirmedBy(answers, state),
})

/** Another operator's command may come in between; then this one is decided again. */
const maxTries = 3

/**
 * Sets the stop mode, which takes effect in every object within 5 seconds, also while D1 does not respond: the stop objects
 * keep the record until D1 has it. `from` is the mode that the operator has seen. A weaker mode is refused if the current
 * one is different, so that no operator lifts a stop they do not know of.
 */
export async function setStop(
  deps: Deps,
  act: Act,
  { mode, from }: { mode: StopMode; from?: StopMode | undefined },
): Promise<ServiceStop> {
  const { env, now } = deps
  const action = mode === 'none' ? 'service.resume' : 'service.stop'
  const row = actRow(now(), act, action, 'service', { mode, from })
  for (let tries = 0; tries < maxTries; tries++) {
    const answers = await stopStates(env)
    const current = newestOf(answers)
    const stop = nextStop(current.stop, mode, from ?? null, now())
    if (stop === null) break
    const write = { state: { ...current, stop }, act: row }
    if (isWeaker(mode, current.stop.mode)) {
      const unseen = unconfirmedBy(answers, current)
      if (unseen.length > 0)
        throw new AppError(
          'unavailable',
          `Nothing was lifted: ${unseen.join(', ')} may have a stop that you have not seen.`,
        )
      // The first object decides, so that a stop that arrives meanwhile is not lifted unseen.
      const first = answers[0]!.region
      const decided = await writeStopTo(env, first, { ...write, replaces: current.stop.version }).catch(notLifted)
      if (!includesStops(decided, write.state)) continue
    }
    const written = newestOf(await writeStops(env, write))
    const isOurs = written.stop.version === stop.version && written.stop.mode === mode
    if (!isOurs) continue
    // Also repeats what did not arrive.
    const { state, unconfirmed } = await syncStops(env)
    return { mode: state.stop.mode, since: isoOf(state.stop.since), unconfirmed }
  }
  await recordAct(deps, act, action, 'service', { mode, from })
  const { mode: current } = await currentStop(deps)
  throw new AppError(
    'conflict',
    `More has been stopped in the meantime: ${current}. Nothing was changed; check the status and try again.`,
  )
}

function notLifted(cause: unknown): never {
  throw new AppError('unavailable', 'It is not known whether the stop was lifted: check the status.', { cause })
}

const maxListed = 20

export async function webhooksState({ db }: Pick<Deps, 'db'>): Promise<WebhooksState> {
  const [counts, failing, stoppedSince] = await Promise.all([
    countWebhooks(db),
    listFailingWebhooks(db, maxListed),
    webhooksStoppedSince(db),
  ])
  return {
    ...counts,
    longestFailing: failing.map(({ id, userId, failingSince }) => ({ id, userId, since: isoOf(failingSince!) })),
    stoppedSince: isoOf(stoppedSince),
  }
}

/** Stops or resumes webhooks within five seconds. Events wait for up to three days. */
export async function setWebhooksStopped(deps: Deps, act: Act, isStopped: boolean): Promise<WebhooksState> {
  await recordAct(deps, act, isStopped ? 'webhooks.stop' : 'webhooks.resume', 'webhooks')
  await writeWebhookStop(deps.db, isStopped, deps.now())
  return webhooksState(deps)
}
