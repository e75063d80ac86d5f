/**
 * The Worker with a clock that can be set, for `npm run dev -- --sample`: its requests, its objects and their chains go
 * through a month in two minutes. workerd runs the Worker and its objects in one isolate, so one variable serves all.
 */
import { createApp } from '../../worker/app.ts'
import type { Env } from '../../worker/env.ts'
import * as bursar from '../../worker/index.ts'
import { runScheduled } from '../../worker/scheduled.ts'

let aheadMs = 0
const now = () => Date.now() + aheadMs

export class Treasury extends bursar.Treasury {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.context.now = now
  }
}
export class History extends bursar.History {
  override clock = { now }
}
export class ClaimDesk extends bursar.ClaimDesk {
  override clock = { now }
}
export class WebhookSender extends bursar.WebhookSender {
  override clock = { now, random: () => Math.random() }
}
export class Watch extends bursar.Watch {
  override clock = { now }
}
export class Relayer extends bursar.Relayer {
  override clock = { now }
}

export { MessageCounter, ServiceStops } from '../../worker/index.ts'

const app = createApp({ now })

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/dev/clock') return app.fetch(request, env, ctx)
    const set = await request.json<{ aheadMs: number; userId: string }>()
    const previousMs = aheadMs
    aheadMs = set.aheadMs
    // Alarms follow the real clock, so what is due now must be woken: the Relayers and the user's Treasury.
    await runScheduled(env, now())
    await env.TREASURY.getByName(set.userId).wakeUp()
    return Response.json({ previousMs })
  },
  scheduled: (_, env) => runScheduled(env, now()),
} satisfies ExportedHandler<Env>
