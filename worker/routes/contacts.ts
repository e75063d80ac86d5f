import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { AppError, ok } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { validate } from '../middleware/validate.ts'
import { ContactBalancesQuery, ContactQuery, SaveContact } from '../schemas/contact.ts'
import {
  contactBalances,
  createContact,
  deleteContact,
  getContact,
  listContacts,
  restoreContact,
  updateContact,
} from '../services/contacts.ts'

/** The specification's callers may name the user; only themselves. */
function refuseForeign(named: string | undefined, userId: string) {
  if (named !== undefined && named !== userId) throw new AppError('not_found', 'There is no such user.')
}

/** /api/contacts */
export const contacts = new Hono<AppEnv>()
  .use(login())
  .get('/', validate('query', ContactQuery), async (c) => {
    const { search, userId } = c.req.valid('query')
    refuseForeign(userId, c.var.userId)
    return c.json(ok(await listContacts(c.var.deps, c.var.userId, search)))
  })
  .post('/', validate('json', SaveContact), async (c) => {
    refuseForeign(c.req.valid('json').userId, c.var.userId)
    return c.json(ok(await createContact(c.var.deps, c.var.userId, c.req.valid('json'))), 201)
  })
  .get('/balances', validate('query', ContactBalancesQuery), async (c) =>
    c.json(ok(await contactBalances(c.var.deps, c.var.userId, c.req.valid('query').ids))),
  )
  .get('/:contactId', async (c) => c.json(ok(await getContact(c.var.deps, c.var.userId, c.req.param('contactId')))))
  .put('/:contactId', validate('json', SaveContact), async (c) => {
    refuseForeign(c.req.valid('json').userId, c.var.userId)
    return c.json(ok(await updateContact(c.var.deps, c.var.userId, c.req.param('contactId'), c.req.valid('json'))))
  })
  .delete('/:contactId', async (c) => {
    await deleteContact(c.var.deps, c.var.userId, c.req.param('contactId'))
    return c.json(ok(null))
  })
  .post('/:contactId/restore', async (c) =>
    c.json(ok(await restoreContact(c.var.deps, c.var.userId, c.req.param('contactId')))),
  )
