import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { checksumAddress } from '../domain/validators.ts'
import { ok, unwrap } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { Claim, CreateEscrow, type ReclaimReply, ResendPasscode, VerifyPasscode } from '../schemas/escrow.ts'
import { PayoutFilter, PayoutsQuery } from '../schemas/lists.ts'
import { claimPage, claimPayout, resendPasscode, verifyPasscode } from '../services/claims.ts'
import { payee } from '../services/contacts.ts'
import { exportPayouts, listPayouts } from '../services/lists.ts'

/** /api/escrow: the recipient's calls are public, the sender's are not. */
export const escrow = new Hono<AppEnv>()
  .get('/claim/:accessToken', async (c) =>
    c.json(ok(await claimPage(c.env, c.req.param('accessToken'), c.var.deps.now()))),
  )
  .post('/verify-passcode', validate('json', VerifyPasscode), async (c) =>
    c.json(ok(await verifyPasscode(c.env, c.req.valid('json')))),
  )
  .post('/claim', validate('json', Claim), async (c) => {
    const { accessToken, passcode, sessionToken, recipientAddress } = c.req.valid('json')
    return c.json(
      ok(await claimPayout(c.env, { accessToken, passcode, sessionToken, to: checksumAddress(recipientAddress) })),
    )
  })
  .post('/resend-passcode', validate('json', ResendPasscode), async (c) =>
    c.json(ok(await resendPasscode(c.env, c.req.valid('json').accessToken))),
  )
  .post('/create', login(), validate('json', CreateEscrow), async (c) => {
    const { sourceWalletId, amount, recipientEmail, recipientPhone, expiresInDays, memo, senderName, contactId } =
      c.req.valid('json')
    const contact = await payee(c.var.deps, c.var.userId, contactId, { email: recipientEmail, phone: recipientPhone })
    const payout = await c.env.TREASURY.getByName(c.var.userId).createPayout({
      principal: { type: 'user' },
      key: idempotencyKey(c),
      walletId: sourceWalletId,
      to: recipientEmail ? { type: 'email', email: recipientEmail } : { type: 'phone', phone: recipientPhone! },
      amount,
      memo: memo || null,
      contact,
      expiresInDays,
      senderName: senderName || null,
    })
    return c.json(ok(unwrap(payout)), 201)
  })
  .get('/list', login(), validate('query', PayoutsQuery), async (c) => {
    const query = c.req.valid('query')
    const { rows, total } = await listPayouts(c.env, c.var.userId, query)
    return c.json({ ...ok({ escrows: rows }), page: { number: query.page, size: query.pageSize, total } })
  })
  .get('/export', login(), validate('query', PayoutFilter), (c) =>
    exportPayouts(c.env, c.var.userId, c.req.valid('query')),
  )
  .post('/reclaim-all', login(), async (c) => {
    const { count, total } = unwrap(await c.env.TREASURY.getByName(c.var.userId).reclaimAll())
    const message = count === 0 ? 'No payout is waiting to be claimed.' : 'The payouts are being reclaimed.'
    return c.json({ ...ok({ count, total }), message })
  })
  .get('/:escrowId', login(), async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).escrow(c.req.param('escrowId'))))),
  )
  .post('/:escrowId/resend', login(), async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).resendCode(c.req.param('escrowId'), 'sender')))),
  )
  .post('/:escrowId/reclaim', login(), async (c) => {
    const { status, txHash } = unwrap(await c.env.TREASURY.getByName(c.var.userId).reclaim(c.req.param('escrowId')))
    const reply: ReclaimReply = {
      id: c.req.param('escrowId'),
      status: status === 'RECLAIMED' ? 'RECLAIMED' : 'RECLAIMING',
      txHash,
    }
    return c.json(ok(reply))
  })
