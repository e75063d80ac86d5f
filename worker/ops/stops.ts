import type { StopMode } from '#domain/serviceStop.ts'
import { isoOf } from '#domain/time.ts'
import type { ServiceStop, WebhooksState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { readServiceStop, writeServiceStop } from '../db/operatorControls.ts'
import { countWebhooks, listFailingWebhooks, webhooksStoppedSince, writeWebhookStop } from '../db/webhooks.ts'
import { AppError } from '../errors.ts'
import { type Act, recordAct } from './record.ts'

export async function currentStop({ db }: Pick<Deps, 'db'>): Promise<ServiceStop> {
  const { mode, since } = await readServiceStop(db)
  return { mode, since: isoOf(since) }
}

/**
 * Sets the stop mode, which takes effect in every object within 5 seconds. `from` is the mode that the operator has seen. A
 * weaker mode is refused if the current one is different, so that no operator lifts a stop they do not know of.
 */
export async function setStop(
  deps: Deps,
  act: Act,
  { mode, from }: { mode: StopMode; from?: StopMode | undefined },
): Promise<ServiceStop> {
  await recordAct(deps, act, mode === 'none' ? 'service.resume' : 'service.stop', 'service', { mode, from })
  if (await writeServiceStop(deps.db, mode, from ?? null, deps.now())) return currentStop(deps)
  const now = await currentStop(deps)
  throw new AppError(
    'conflict',
    `More has been stopped in the meantime: ${now.mode}. Nothing was changed; check the status and try again.`,
  )
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
