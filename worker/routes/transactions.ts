import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { transactionPage } from '../db/readModel.ts'
import { checksumAddress } from '../domain/validators.ts'
import { ok, unwrap } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { PageQuery, type SendReply, SendTransaction } from '../schemas/transaction.ts'
import { overlay } from '../services/lists.ts'

/** /api/transactions */
export const transactions = new Hono<AppEnv>()
  .use(login())
  .post('/send', validate('json', SendTransaction), async (c) => {
    const { walletId, toAddress, amount, memo } = c.req.valid('json')
    const sent = unwrap(
      await c.env.TREASURY.getByName(c.var.userId).send({
        principal: { type: 'user' },
        key: idempotencyKey(c),
        walletId,
        to: { type: 'address', address: checksumAddress(toAddress) },
        amount,
        memo: memo || null,
      }),
    )
    const reply: SendReply = { id: sent.id, status: 'queued', ...(sent.txHash !== null && { txHash: sent.txHash }) }
    return c.json(ok(reply), 201)
  })
  .get('/user', validate('query', PageQuery), async (c) => {
    const { page, pageSize } = c.req.valid('query')
    // The Treasury first: what it has told D1 since then may be seen twice, but nothing is missed.
    const fresh = await c.env.TREASURY.getByName(c.var.userId).unprojected()
    const known = await transactionPage(c.env.DB, c.var.userId, page, pageSize)
    const { rows, total } = overlay(known, fresh.transactions, page, pageSize)
    return c.json({ ...ok(rows), page: { number: page, size: pageSize, total } })
  })
  .get('/:transactionId', async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).transaction(c.req.param('transactionId'))))),
  )
