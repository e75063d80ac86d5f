import { desc, eq } from 'drizzle-orm'
import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { devInbox } from '../db/accounts.ts'
import { localChain, mintStandIn } from '../dev/faucet.ts'
import { addressPage, inboxPage, onrampPage, transactionPage } from '../dev/pages.ts'
import { AppError, ok } from '../errors.ts'
import { jsonOnly } from '../middleware/requests.ts'
import { validate } from '../middleware/validate.ts'
import { Faucet, LocalOnramp } from '../schemas/dev.ts'

const inboxSize = 200

/** /dev: the local stack's inbox, faucet and explorer. Anywhere else these addresses do not exist. */
export const dev = new Hono<AppEnv>()
  .use(async (c, next) => {
    if (c.env.ENVIRONMENT !== 'local') throw new AppError('not_found', 'There is nothing at this address.')
    await next()
  })
  .get('/inbox', async (c) => {
    const { db } = c.var.deps
    const to = c.req.query('to')?.trim().toLowerCase()
    const rows = await db
      .select()
      .from(devInbox)
      .where(to ? eq(devInbox.recipient, to) : undefined)
      .orderBy(desc(devInbox.at), desc(devInbox.id))
      .limit(inboxSize)
    const messages = rows.map(({ recipient, at, ...rest }) => ({
      ...rest,
      to: recipient,
      at: new Date(at).toISOString(),
    }))
    c.header('vary', 'Accept')
    if (c.req.header('accept')?.includes('application/json')) return c.json(messages)
    return inboxPage(c, messages)
  })
  .post('/faucet', jsonOnly, validate('json', Faucet), async (c) =>
    c.json(ok(await mintStandIn(c.env, c.req.valid('json')))),
  )
  .get('/onramp', validate('query', LocalOnramp), (c) => onrampPage(c, c.req.valid('query')))
  .post('/onramp', validate('form', LocalOnramp), async (c) => {
    const { address, amount, redirectUrl } = c.req.valid('form')
    await mintStandIn(c.env, { address, amount, chain: 'base' })
    const here = new URL(c.env.APP_ORIGIN).origin
    return c.redirect(new URL(redirectUrl).origin === here ? redirectUrl : here, 303)
  })
  // Pages may speak to their own origin only, so this is where the wallet layer finds the local chains.
  .post('/rpc/:chainId', jsonOnly, async (c) => {
    const chainId = Number(c.req.param('chainId'))
    if (chainId !== 8453 && chainId !== 84532) throw new AppError('not_found', 'There is no such chain.')
    const { url } = localChain(c.env, chainId)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: await c.req.text() }).catch((cause) => {
      throw new AppError('upstream_unavailable', 'The local chain does not answer.', { cause })
    })
    return c.body(await answer.text(), answer.status as 200, headers)
  })
  .get('/tx/:hash', (c) => transactionPage(c, c.req.param('hash')))
  .get('/address/:address', (c) => addressPage(c, c.req.param('address')))
