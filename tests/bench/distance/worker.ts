/**
 * The Worker as if its parts were far apart, for `npm run bench:distance`: every call to D1 and to an object waits first.
 * workerd runs the Worker and its objects in one isolate, so one clock serves all.
 */
// biome-ignore assist/source/organizeImports: the clock comes first
import { aheadMs, moveAhead } from './clock.ts'
import type { Env } from '../../../worker/env.ts'
import * as bursar from '../../../worker/index.ts'
import { farEnv } from '../../support/farEnv.ts'
import { delays } from './delays.ts'

const ofWorker = (env: Env) => farEnv(env, delays)
const ofObject = (env: Env) => farEnv(env, { d1: delays.d1, object: delays.objectToObject })

/** The platform's alarms follow the real clock. */
function onRealClock(ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (at, options) => setAlarm(Number(at) - aheadMs(), options)
  return ctx
}

export class Treasury extends bursar.Treasury {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}
export class History extends bursar.History {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}
export class ClaimDesk extends bursar.ClaimDesk {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}
export class Relayer extends bursar.Relayer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}
export class WebhookSender extends bursar.WebhookSender {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}
export class ServiceStops extends bursar.ServiceStops {
  constructor(ctx: DurableObjectState, env: Env) {
    super(onRealClock(ctx), ofObject(env))
  }
}

const { fetch, scheduled } = bursar.default

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/dev/ahead') return fetch(request, ofWorker(env), ctx)
    moveAhead((await request.json<{ ms: number }>()).ms)
    return new Response(null, { status: 204 })
  },
  scheduled: (controller, env) => scheduled(controller, ofWorker(env)),
} satisfies ExportedHandler<Env>
