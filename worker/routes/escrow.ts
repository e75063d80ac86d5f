import { Hono } from 'hono'
import { claimTokenIn } from '#domain/readers/claimToken.ts'
import { checksumAddress } from '#domain/validators.ts'
import { Claim, CreateEscrow, type ReclaimReply, ResendPasscode, SendReceipt, VerifyPasscode } from '#schemas/escrow.ts'
import { PayoutFilter, PayoutsQuery } from '#schemas/lists.ts'
import { SendOn, SendOnQuery } from '#schemas/sendOn.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { readsRows } from '../middleware/lists.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { addressLimit } from '../middleware/rateLimit.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { claimPage, claimPayout, resendPasscode, sendReceipt, verifyPasscode } from '../services/claims.ts'
import { namedContact } from '../services/contacts.ts'
import { exportPayouts, getPayout, listPayouts } from '../services/lists.ts'
import { keptBalance, sendOn, sentOn } from '../services/sendOn.ts'

/** /api/escrow. The recipient's calls are public; the sender's require a login. */
export const escrow = new Hono<AppEnv>()
  .get('/claim/:accessToken', addressLimit('claim-reads'), async (c) =>
    c.json(success(await claimPage(c.env, claimTokenIn(c.req.param('accessToken')), c.var.deps.now()))),
  )
  .post('/verify-passcode', addressLimit('claim-tries'), validate('json', VerifyPasscode), async (c) =>
    c.json(success(await verifyPasscode(c.env, c.req.valid('json')))),
  )
  .post('/claim', addressLimit('claim-tries'), validate('json', Claim), async (c) => {
    const { recipientAddress, ...claim } = c.req.valid('json')
    return c.json(success(await claimPayout(c.var.deps, { ...claim, to: checksumAddress(recipientAddress) })))
  })
  .post('/resend-passcode', addressLimit('claim-tries'), validate('json', ResendPasscode), async (c) =>
    c.json(success(await resendPasscode(c.env, c.req.valid('json').accessToken))),
  )
  .post('/receipt', addressLimit('claim-tries'), validate('json', SendReceipt), async (c) =>
    c.json(success(await sendReceipt(c.env, c.req.valid('json').accessToken))),
  )
  .post('/send-on', addressLimit('claim-tries'), validate('json', SendOn), async (c) =>
    c.json(success(await sendOn(c.env, c.req.valid('json')))),
  )
  .get('/send-on/:accessToken', addressLimit('claim-reads'), validate('query', SendOnQuery), async (c) =>
    c.json(success(await sentOn(c.env, claimTokenIn(c.req.param('accessToken')), c.req.valid('query').nonce))),
  )
  .get('/kept-balance/:accessToken', addressLimit('claim-reads'), async (c) =>
    c.json(success(await keptBalance(c.var.deps, claimTokenIn(c.req.param('accessToken'))))),
  )
  .post('/create', login('treasury'), ownerPassword(), validate('json', CreateEscrow), async (c) => {
    const { sourceWalletId, recipientEmail, recipientPhone, contactId, ...terms } = c.req.valid('json')
    const contact = await namedContact(c.var, contactId, {
      email: recipientEmail,
      phone: recipientPhone,
    })
    const payout = await c.var.treasury.createPayout({
      principal: { type: 'user', passwordChecked: c.var.passwordChecked },
      key: idempotencyKey(c),
      terms: {
        wallet: sourceWalletId,
        to: recipientEmail ? { type: 'email', email: recipientEmail } : { type: 'phone', phone: recipientPhone! },
        ...terms,
      },
      contact,
    })
    return c.json(success(unwrap(payout)), 201)
  })
  .get('/list', login('treasury'), readsRows(), validate('query', PayoutsQuery), async (c) => {
    const { rows, page } = await listPayouts(c.var, c.req.valid('query'))
    return c.json({ ...success({ escrows: rows }), page })
  })
  .get('/export', login('treasury'), readsRows({ isSearch: true }), validate('query', PayoutFilter), (c) =>
    exportPayouts(c.var, c.req.valid('query')),
  )
  .post('/reclaim-all', login('treasury'), async (c) => {
    const { count, total } = unwrap(await c.var.treasury.reclaimAll())
    const message = count === 0 ? 'There are no payouts to reclaim.' : 'The payouts are being reclaimed.'
    return c.json({ ...success({ count, total }), message })
  })
  .get('/:escrowId', login('treasury'), async (c) => c.json(success(await getPayout(c.var, c.req.param('escrowId')))))
  .get('/:escrowId/link', login('treasury'), async (c) =>
    c.json(success(unwrap(await c.var.treasury.claimLink(c.req.param('escrowId'))))),
  )
  .post('/:escrowId/resend', login('treasury'), async (c) =>
    c.json(success(unwrap(await c.var.treasury.resendCode(c.req.param('escrowId'), 'sender')))),
  )
  .post('/:escrowId/reclaim', login('treasury'), async (c) => {
    const { status, txHash } = unwrap(await c.var.treasury.reclaim(c.req.param('escrowId')))
    const reply: ReclaimReply = {
      id: c.req.param('escrowId'),
      status: status === 'RECLAIMED' ? 'RECLAIMED' : 'RECLAIMING',
      txHash,
    }
    return c.json(success(reply))
  })
