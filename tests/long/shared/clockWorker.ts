/**
 * The Worker with a clock that `POST /dev/ahead` moves, and which says how far it is ahead, for ../shared.ts. It and its objects
 * share an isolate.
 */
import { aheadMs, moveAhead } from '../../bench/distance/clock.ts'
import { changedWorker } from '../../support/changedWorker.ts'

export {
  ClaimDesk,
  History,
  MessageCounter,
  Relayer,
  ServiceStops,
  Treasury,
  Watch,
  WebhookSender,
} from '../../../worker/index.ts'

async function setClock(request: Request): Promise<Response> {
  if (request.method === 'POST') moveAhead((await request.json<{ ms: number }>()).ms)
  return Response.json({ ms: aheadMs() })
}

export default changedWorker(
  (env) => env,
  (request) => (new URL(request.url).pathname === '/dev/ahead' ? setClock(request) : null),
)
