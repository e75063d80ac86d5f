/** The Worker with a D1 that takes 50 ms for each call: for burst.ts. */
import type { Env } from '../../worker/env.ts'
import * as bursar from '../../worker/index.ts'
import { changedObject, changedWorker } from '../support/changedWorker.ts'
import { farEnv } from '../support/farEnv.ts'

const slow = (env: Env) => farEnv(env, { d1: 50, object: 0 })
const ofObject = (ctx: DurableObjectState, env: Env): [DurableObjectState, Env] => [ctx, slow(env)]

export const Treasury = changedObject(bursar.Treasury, ofObject)
export const History = changedObject(bursar.History, ofObject)
export const ClaimDesk = changedObject(bursar.ClaimDesk, ofObject)
export const Relayer = changedObject(bursar.Relayer, ofObject)
export const WebhookSender = changedObject(bursar.WebhookSender, ofObject)
export const ServiceStops = changedObject(bursar.ServiceStops, ofObject)
export const MessageCounter = changedObject(bursar.MessageCounter, ofObject)
export const Watch = changedObject(bursar.Watch, ofObject)

export default changedWorker(slow)
