/** The Worker with a D1 that takes 50 ms for each call: for burst.ts. */
import type { Env } from '../../worker/env.ts'
import * as bursar from '../../worker/index.ts'
import { farEnv } from '../support/farEnv.ts'

const slow = (env: Env) => farEnv(env, { d1: 50, object: 0 })

export class Treasury extends bursar.Treasury {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}
export class History extends bursar.History {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}
export class ClaimDesk extends bursar.ClaimDesk {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}
export class Relayer extends bursar.Relayer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}
export class WebhookSender extends bursar.WebhookSender {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}
export class ServiceStops extends bursar.ServiceStops {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, slow(env))
  }
}

const { fetch, scheduled } = bursar.default

export default {
  fetch: (request, env, ctx) => fetch(request, slow(env), ctx),
  scheduled: (controller, env) => scheduled(controller, slow(env)),
} satisfies ExportedHandler<Env>
