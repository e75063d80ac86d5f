import { Hono } from 'hono'
import type { AccountId } from '#domain/accounts.ts'
import {
  ContactBalancesQuery,
  ContactMatchesQuery,
  ContactNames,
  ContactsQuery,
  SaveContact,
} from '#schemas/contact.ts'
import type { AppEnv } from '../appEnv.ts'
import { AppError } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { readsRows } from '../middleware/lists.ts'
import { validate } from '../middleware/validate.ts'
import { success } from '../result.ts'
import { contactBalances } from '../services/contactBalances.ts'
import {
  contactNames,
  createContact,
  deleteContact,
  getContact,
  groupsWithContact,
  listContacts,
  matchContacts,
  restoreContact,
  updateContact,
} from '../services/contacts.ts'

/** Callers may pass a user id, but only their own. */
function requireOwnId(named: string | undefined, accountId: AccountId) {
  if (named !== undefined && named !== accountId) throw new AppError('not_found', 'User not found.')
}

const reads = login('d1', 'contacts.read')
const changes = login('d1', 'contacts.change')

/** /api/contacts */
export const contacts = new Hono<AppEnv>()
  .get('/', reads, readsRows(), validate('query', ContactsQuery), async (c) => {
    const { userId, ...query } = c.req.valid('query')
    requireOwnId(userId, c.var.accountId)
    const { rows, page } = await listContacts(c.var.deps, c.var.accountId, query)
    return c.json({ ...success(rows), page })
  })
  .post('/', changes, validate('json', SaveContact), async (c) => {
    requireOwnId(c.req.valid('json').userId, c.var.accountId)
    return c.json(success(await createContact(c.var, c.req.valid('json'))), 201)
  })
  .get('/balances', reads, readsRows({ isSearch: true }), validate('query', ContactBalancesQuery), async (c) =>
    c.json(success(await contactBalances(c.var.deps, c.var.accountId, c.req.valid('query').ids))),
  )
  .get('/matches', reads, readsRows({ isSearch: true }), validate('query', ContactMatchesQuery), async (c) =>
    c.json(success(await matchContacts(c.var.deps, c.var.accountId, c.req.valid('query')))),
  )
  .post('/names', reads, readsRows(), validate('json', ContactNames), async (c) =>
    c.json(success(await contactNames(c.var.deps, c.var.accountId, c.req.valid('json').values))),
  )
  .get('/:contactId', reads, async (c) =>
    c.json(success(await getContact(c.var.deps, c.var.accountId, c.req.param('contactId')))),
  )
  .get('/:contactId/groups', reads, async (c) =>
    c.json(success(await groupsWithContact(c.var, c.req.param('contactId')))),
  )
  .put('/:contactId', changes, validate('json', SaveContact), async (c) => {
    requireOwnId(c.req.valid('json').userId, c.var.accountId)
    return c.json(success(await updateContact(c.var, c.req.param('contactId'), c.req.valid('json'))))
  })
  .delete('/:contactId', changes, async (c) => {
    await deleteContact(c.var, c.req.param('contactId'))
    return c.json(success(null))
  })
  .post('/:contactId/restore', changes, async (c) =>
    c.json(success(await restoreContact(c.var, c.req.param('contactId')))),
  )
