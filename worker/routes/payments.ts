import { type Context, Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { type RecipientType, scopeFor } from '../domain/scopes.ts'
import { checksumAddress } from '../domain/validators.ts'
import { AppError, type RefusalFigures, type Refused, statusOf } from '../errors.ts'
import { problem } from '../middleware/answers.ts'
import { agent } from '../middleware/auth.ts'
import { requiredIdempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { CreatePayment, PaymentsQuery } from '../schemas/payment.ts'
import type { Principal, Recipient } from '../treasury/types.ts'

/** /v1: what agents call. Answers are plain objects, refusals RFC 9457 problems with the rule and its figures. */
export const payments = new Hono<AppEnv>()
  .use(agent('/v1'))
  .post('/payments', validate('json', CreatePayment), async (c) => {
    const key = requiredIdempotencyKey(c)
    const { to, amount, memo } = c.req.valid('json')
    needScope(c, to.type)
    const recipient: Recipient =
      to.type === 'address'
        ? { type: 'address', address: checksumAddress(to.address) }
        : to.type === 'contact'
          ? { type: 'contact', contactId: to.contactId, ...(to.method && { method: to.method }) }
          : to
    const result = await treasury(c).payAsAgent({
      principal: principal(c),
      key,
      walletId: null,
      to: recipient,
      amount,
      memo: memo || null,
    })
    if (!result.ok) return refusal(c, result)
    const { payment, replayed } = result.value
    c.header('Location', `/v1/payments/${payment.id}`)
    if (replayed) c.header('Idempotent-Replayed', 'true')
    return c.json(payment, 201)
  })
  .get('/payments', validate('query', PaymentsQuery), async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const result = await treasury(c).payments(principal(c), limit, cursor ?? null)
    if (!result.ok) return refusal(c, result)
    const { payments, last, more } = result.value
    const next = more && last ? btoa(`${last.createdAt}:${last.id}`).replace(/=+$/, '') : null
    if (next) c.header('Link', `</v1/payments?limit=${limit}&cursor=${next}>; rel="next"`)
    return c.json({ data: payments, next_cursor: next, has_more: more })
  })
  .get('/payments/:paymentId', async (c) => {
    const result = await treasury(c).payment(principal(c), c.req.param('paymentId'))
    return result.ok ? c.json(result.value) : refusal(c, result)
  })
  .get('/context', async (c) => {
    const result = await treasury(c).agentContext(principal(c))
    if (!result.ok) return refusal(c, result)
    const { agent, group, maxAllowedNow } = result.value
    return c.json({
      agent: { id: agent.id, name: agent.name },
      policy_group: {
        id: group.id,
        name: group.name,
        version: group.version,
        scopes: group.scopes,
        wallet: group.wallet?.address ?? null,
        contacts: group.whitelistedContacts.map(({ contact, stale }) => ({ ...contact, stale })),
      },
      budget: { limit: group.spendLimitUsdc, spent: group.currentSpent, held: group.held, remaining: group.remaining },
      max_allowed_now: maxAllowedNow,
    })
  })

const treasury = (c: Context<AppEnv>) => c.env.TREASURY.getByName(c.var.agent.userId)
const principal = (c: Context<AppEnv>): Principal => ({
  type: 'agent',
  agentId: c.var.agent.agentId,
  credentialHash: c.var.agent.credentialHash,
})

/** The token may carry less than the group allows; the group itself is checked by the Treasury. */
function needScope(c: Context<AppEnv>, type: RecipientType): void {
  const scope = scopeFor[type]
  if (c.var.agent.scopes.includes(scope)) return
  c.header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`)
  throw new AppError('insufficient_scope', `This call needs the scope ${scope}, which was not asked for at sign-in.`)
}

function refusal(c: Context<AppEnv>, refused: Refused): Response {
  const { code, message, field, retryAfter, refusal: figures } = refused
  if (retryAfter) c.header('Retry-After', String(retryAfter))
  return problem(c, code, statusOf[code], message, {
    ...(figures && withoutId(figures)),
    ...(figures?.id && { payment_id: figures.id }),
    ...(field && !figures && { errors: [{ pointer: `/${field}`, detail: message }] }),
  })
}

function withoutId({ id: _, ...figures }: RefusalFigures) {
  return figures
}
