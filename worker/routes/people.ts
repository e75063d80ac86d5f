import { Hono } from 'hono'
import { ChangeRole, InvitePerson, NamedInvitation, SetSecondPerson } from '#schemas/people.ts'
import type { AppEnv } from '../appEnv.ts'
import { login } from '../middleware/auth.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { accountsOf, changeRole, invitePerson, joinAccount, readInvitation } from '../services/people.ts'

/** /api/people: who acts for an account besides its owner. */
export const people = new Hono<AppEnv>()
  .get('/', login('treasury'), async (c) => c.json(success(await c.var.treasury.people().list())))
  .post('/', login('treasury'), ownerPassword(), validate('json', InvitePerson), async (c) =>
    c.json(success(await invitePerson(c.var, c.req.valid('json'), c.var.passwordChecked)), 201),
  )
  .get('/accounts', login('d1', 'own'), async (c) => c.json(success(await accountsOf(c.var))))
  .post('/invitation', login('d1', 'own'), validate('json', NamedInvitation), async (c) =>
    c.json(success(await readInvitation(c.var, c.req.valid('json').token))),
  )
  .post('/join', login('d1', 'own'), validate('json', NamedInvitation), async (c) =>
    c.json(success(await joinAccount(c.var, c.req.valid('json').token))),
  )
  .post('/leave', login('treasury'), async (c) => c.json(success(unwrap(await c.var.treasury.people().leave()))))
  .put('/second-person', login('treasury'), ownerPassword(), validate('json', SetSecondPerson), async (c) => {
    const { treasury, passwordChecked } = c.var
    const { above } = c.req.valid('json')
    return c.json(success(unwrap(await treasury.people().chooseSecondPerson({ above, passwordChecked }))))
  })
  .patch('/:memberId', login('treasury'), ownerPassword(), validate('json', ChangeRole), async (c) =>
    c.json(success(await changeRole(c.var, c.req.param('memberId'), c.req.valid('json'), c.var.passwordChecked))),
  )
  .delete('/:memberId', login('treasury'), async (c) =>
    c.json(success(unwrap(await c.var.treasury.people().remove(c.req.param('memberId'))))),
  )
