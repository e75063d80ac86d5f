import { type Context, Hono } from 'hono'
import {
  CheckPayment,
  CreateBudgetRequest,
  CreatePayment,
  type Payment,
  PaymentContextQuery,
  PaymentsQuery,
} from '#schemas/payment.ts'
import { PrepareRun } from '#schemas/preparedRun.ts'
import { CreatePurchase, PurchaseReceipt } from '#schemas/x402.ts'
import type { AppEnv } from '../appEnv.ts'
import { agent, challenge } from '../middleware/auth.ts'
import { requiredIdempotencyKey } from '../middleware/idempotency.ts'
import { reportRates } from '../middleware/rateLimit.ts'
import { validate } from '../middleware/validate.ts'
import { type Result, unwrap } from '../result.ts'
import {
  cancelPayment,
  checkPayment,
  checkPurchase,
  createPayment,
  createPurchase,
  getBudgetRequest,
  getPayment,
  listPayments,
  paymentContext,
  requestBudget,
  storeReceipt,
} from '../services/agentPayments.ts'
import { getPreparedRun, prepareRun } from '../services/agentRuns.ts'
import type { RateState } from '../treasury/limits/rpcTypes.ts'

/** /v1: the API for agents. Successful responses are plain objects, without the envelope of /api. */
export const payments = new Hono<AppEnv>()
  .use(agent('/v1'))
  .post('/payments', validate('json', CreatePayment), async (c) => {
    const key = requiredIdempotencyKey(c)
    const paid = unwrapOrChallenge(c, await createPayment(caller(c), key, c.req.valid('json')))
    if (!created(c, paid)) return c.json(paid.payment, 201)
    c.header('Retry-After', approvalRetrySeconds)
    return c.json(paid.payment, 202)
  })
  .post('/x402-payments', validate('json', CreatePurchase), async (c) => {
    const key = requiredIdempotencyKey(c)
    const bought = unwrapOrChallenge(c, await createPurchase(caller(c), key, c.req.valid('json')))
    const isWaiting = created(c, bought)
    if (!isWaiting && bought.payment.status !== 'QUEUED') return c.json(bought.payment, 201)
    c.header('Retry-After', isWaiting ? approvalRetrySeconds : signingRetrySeconds)
    return c.json(bought.payment, 202)
  })
  .post('/x402-payments/check', validate('json', CreatePurchase), async (c) =>
    c.json(unwrapOrChallenge(c, await checkPurchase(caller(c), c.req.valid('json')))),
  )
  .post('/x402-payments/:paymentId/receipt', validate('json', PurchaseReceipt), async (c) =>
    c.json(unwrapOrChallenge(c, await storeReceipt(caller(c), c.req.param('paymentId'), c.req.valid('json')))),
  )
  .post('/budget-requests', validate('json', CreateBudgetRequest), async (c) => {
    const key = requiredIdempotencyKey(c)
    const { request, replayed } = unwrapOrChallenge(c, await requestBudget(caller(c), key, c.req.valid('json')))
    c.header('Location', `/v1/budget-requests/${request.id}`)
    if (replayed) c.header('Idempotent-Replayed', 'true')
    if (request.status !== 'PENDING_APPROVAL') return c.json(request, 200)
    c.header('Retry-After', approvalRetrySeconds)
    return c.json(request, 202)
  })
  .get('/budget-requests/:requestId', async (c) =>
    c.json(unwrapOrChallenge(c, await getBudgetRequest(caller(c), c.req.param('requestId')))),
  )
  .post('/runs', validate('json', PrepareRun), async (c) => {
    const key = requiredIdempotencyKey(c)
    const { run, replayed } = unwrapOrChallenge(c, await prepareRun(caller(c), key, c.req.valid('json')))
    c.header('Location', `/v1/runs/${run.id}`)
    if (replayed) c.header('Idempotent-Replayed', 'true')
    if (run.checked || run.status !== 'DRAFT') return c.json(run, 201)
    c.header('Retry-After', checkRetrySeconds)
    return c.json(run, 202)
  })
  .get('/runs/:runId', async (c) => c.json(unwrapOrChallenge(c, await getPreparedRun(caller(c), c.req.param('runId')))))
  .post('/payments/check', validate('json', CheckPayment), async (c) =>
    c.json(unwrapOrChallenge(c, await checkPayment(caller(c), c.req.valid('json')))),
  )
  .get('/payments', validate('query', PaymentsQuery), async (c) => {
    const list = unwrapOrChallenge(c, await listPayments(caller(c), c.req.valid('query')))
    const { next_cursor } = list
    if (next_cursor) {
      const next = new URLSearchParams({ ...c.req.query(), cursor: next_cursor })
      c.header('Link', `</v1/payments?${next}>; rel="next"`)
    }
    return c.json(list)
  })
  .get('/payments/:paymentId', async (c) =>
    c.json(unwrapOrChallenge(c, await getPayment(caller(c), c.req.param('paymentId')))),
  )
  .post('/payments/:paymentId/cancel', async (c) =>
    c.json(unwrapOrChallenge(c, await cancelPayment(caller(c), c.req.param('paymentId')))),
  )
  .get('/context', validate('query', PaymentContextQuery), async (c) =>
    c.json(unwrapOrChallenge(c, await paymentContext(caller(c), c.req.valid('query')))),
  )

/** People decide more slowly than programs, so polling more often is pointless. */
const approvalRetrySeconds = '30'
/** Of a run whose rows are still being checked. */
const checkRetrySeconds = '1'
/** Of a purchase that could not be signed yet: a block or two. */
const signingRetrySeconds = '3'

/** Sets the headers of a payment that was created. Returns whether it waits for its owner. */
function created(c: Context<AppEnv>, { payment, replayed, rates }: Created): boolean {
  c.header('Location', `/v1/payments/${payment.id}`)
  reportRates(c, rates)
  if (replayed) c.header('Idempotent-Replayed', 'true')
  return payment.status === 'PENDING_APPROVAL'
}
type Created = { payment: Payment; replayed: boolean; rates: RateState[] }

const caller = (c: Context<AppEnv>) => ({ env: c.env, agent: c.var.agent })

/** Unwraps the result. If another access token would avoid the refusal, WWW-Authenticate says how to get one. */
function unwrapOrChallenge<T>(c: Context<AppEnv>, result: Result<T>): T {
  if (!result.ok) {
    // The credential or token was revoked or expired after it was checked here.
    if (result.code === 'unauthenticated') challenge(c, '/v1', 'invalid_token')
    // The token lacks the scope. If the group lacks it, `scope` is absent, because no other token would help.
    if (result.refusal?.scope) challenge(c, '/v1', 'insufficient_scope', result.refusal.scope)
  }
  return unwrap(result)
}
