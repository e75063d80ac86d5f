import { type Context, Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { type RefusalFigures, type Refused, type Result, statusOf } from '../errors.ts'
import { problem } from '../middleware/answers.ts'
import { agent, challenge } from '../middleware/auth.ts'
import { requiredIdempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { CheckPayment, CreatePayment, PaymentsQuery } from '../schemas/payment.ts'
import {
  cancelPayment,
  checkPayment,
  createPayment,
  getPayment,
  listPayments,
  paymentContext,
} from '../services/agentPayments.ts'

/** /v1: what agents call. Answers are plain objects, refusals RFC 9457 problems with the rule and its figures. */
export const payments = new Hono<AppEnv>()
  .use(agent('/v1'))
  .post('/payments', validate('json', CreatePayment), async (c) => {
    const key = requiredIdempotencyKey(c)
    const input = c.req.valid('json')
    const result = await createPayment(caller(c), key, input)
    if (!result.ok) return refusal(c, result)
    const { payment, replayed } = result.value
    c.header('Location', `/v1/payments/${payment.id}`)
    if (replayed) c.header('Idempotent-Replayed', 'true')
    return c.json(payment, 201)
  })
  .post('/payments/check', validate('json', CheckPayment), async (c) =>
    answer(c, await checkPayment(caller(c), c.req.valid('json'))),
  )
  .get('/payments', validate('query', PaymentsQuery), async (c) => {
    const query = c.req.valid('query')
    const result = await listPayments(caller(c), query)
    if (!result.ok) return refusal(c, result)
    const { next_cursor } = result.value
    if (next_cursor) c.header('Link', `</v1/payments?limit=${query.limit}&cursor=${next_cursor}>; rel="next"`)
    return c.json(result.value)
  })
  .get('/payments/:paymentId', async (c) => answer(c, await getPayment(caller(c), c.req.param('paymentId'))))
  .post('/payments/:paymentId/cancel', async (c) => answer(c, await cancelPayment(caller(c), c.req.param('paymentId'))))
  .get('/context', async (c) => answer(c, await paymentContext(caller(c))))

const caller = (c: Context<AppEnv>) => ({ env: c.env, agent: c.var.agent })

const answer = <T extends object>(c: Context<AppEnv>, result: Result<T>) =>
  result.ok ? c.json(result.value) : refusal(c, result)

function refusal(c: Context<AppEnv>, refused: Refused): Response {
  const { code, message, field, retryAfter, refusal: figures } = refused
  if (retryAfter) c.header('Retry-After', String(retryAfter))
  // A credential or token that ended while it still looked good.
  if (code === 'unauthenticated') challenge(c, '/v1', 'invalid_token')
  // The token lacks it, so another one helps; what the group lacks comes without.
  if (figures?.scope) challenge(c, '/v1', 'insufficient_scope', figures.scope)
  return problem(c, code, statusOf[code], message, {
    ...(figures && withoutId(figures)),
    ...(figures?.id && { payment_id: figures.id }),
    ...(field && !figures && { errors: [{ pointer: `/${field}`, detail: message }] }),
  })
}

function withoutId({ id: _, ...figures }: RefusalFigures) {
  return figures
}
