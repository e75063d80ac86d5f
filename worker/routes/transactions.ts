import { Hono } from 'hono'
import { BooksQuery, TransactionFilter, TransactionsQuery } from '#schemas/lists.ts'
import { RecipientCheck, type SendReply, SendTransaction } from '#schemas/transaction.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { readsRows } from '../middleware/lists.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { exportBooks } from '../services/books.ts'
import { namedContact } from '../services/contacts.ts'
import { exportTransactions, listTransactions } from '../services/lists.ts'

/** /api/transactions */
export const transactions = new Hono<AppEnv>()
  .use(login('treasury'))
  .post('/send', ownerPassword(), validate('json', SendTransaction), async (c) => {
    const { walletId, toAddress, contactId, ...terms } = c.req.valid('json')
    const contact = await namedContact(c.var, contactId, { address: toAddress })
    const sent = unwrap(
      await c.var.treasury.send({
        principal: { type: 'user', passwordChecked: c.var.passwordChecked },
        key: idempotencyKey(c),
        terms: {
          wallet: walletId,
          to: { type: 'address', address: toAddress },
          expiresInDays: null,
          senderName: null,
          ...terms,
        },
        contact,
      }),
    )
    const reply: SendReply = {
      id: sent.id,
      status: 'queued',
      ...(sent.txHash !== null && { txHash: sent.txHash }),
      transaction: sent,
    }
    return c.json(success(reply), 201)
  })
  .post('/recipient-check', validate('json', RecipientCheck), async (c) =>
    c.json(success(await c.var.treasury.recipientHistory(c.req.valid('json')))),
  )
  .get('/user', readsRows(), validate('query', TransactionsQuery), async (c) => {
    const { rows, page } = await listTransactions(c.var, c.req.valid('query'))
    return c.json({ ...success(rows), page })
  })
  .get('/export', readsRows({ isSearch: true }), validate('query', TransactionFilter), (c) =>
    exportTransactions(c.var, c.req.valid('query')),
  )
  .get('/books', readsRows({ isSearch: true }), validate('query', BooksQuery), (c) =>
    exportBooks(c.var, c.req.valid('query')),
  )
  .get('/:transactionId', async (c) =>
    c.json(success(unwrap(await c.var.treasury.transaction(c.req.param('transactionId'))))),
  )
