/**
 * The Worker as if its parts were far apart, for `npm run bench:distance`: every call to D1 and to an object waits first.
 * workerd runs the Worker and its objects in one isolate, so one clock serves all.
 */
// biome-ignore assist/source/organizeImports: the clock comes first
import { aheadMs, moveAhead } from './clock.ts'
import type { Env } from '../../../worker/env.ts'
import * as bursar from '../../../worker/index.ts'
import { changedObject, changedWorker } from '../../support/changedWorker.ts'
import { farEnv } from '../../support/farEnv.ts'
import { delays } from './delays.ts'

/** The platform's alarms follow the real clock. */
function onRealClock(ctx: DurableObjectState): DurableObjectState {
  const { storage } = ctx
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (at, options) => setAlarm(Number(at) - aheadMs(), options)
  return ctx
}

const ofObject = (ctx: DurableObjectState, env: Env): [DurableObjectState, Env] => [
  onRealClock(ctx),
  farEnv(env, { d1: delays.d1, object: delays.objectToObject }),
]

export const Treasury = changedObject(bursar.Treasury, ofObject)
export const History = changedObject(bursar.History, ofObject)
export const ClaimDesk = changedObject(bursar.ClaimDesk, ofObject)
export const Relayer = changedObject(bursar.Relayer, ofObject)
export const WebhookSender = changedObject(bursar.WebhookSender, ofObject)
export const ServiceStops = changedObject(bursar.ServiceStops, ofObject)
export const MessageCounter = changedObject(bursar.MessageCounter, ofObject)
export const Watch = changedObject(bursar.Watch, ofObject)

async function setClock(request: Request): Promise<Response> {
  moveAhead((await request.json<{ ms: number }>()).ms)
  return new Response(null, { status: 204 })
}

export default changedWorker(
  (env) => farEnv(env, delays),
  (request) => (new URL(request.url).pathname === '/dev/ahead' ? setClock(request) : null),
)
