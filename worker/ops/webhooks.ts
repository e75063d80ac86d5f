import { isoOf } from '#domain/time.ts'
import type { WebhooksState } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { countWebhooks, listFailingWebhooks, webhooksStoppedSince, writeWebhookStop } from '../db/webhooks.ts'
import { type Act, recordAct } from './record.ts'

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
