import { Hono } from 'hono'
import { chainNameOf, isChainId } from '#domain/networks.ts'
import { Faucet, LocalOnramp } from '#schemas/dev.ts'
import type { AppEnv } from '../appEnv.ts'
import { primaryChain } from '../chain/networkSettings.ts'
import { localChain, mintStandIn } from '../dev/faucet.ts'
import { addressPage, betaPage, inboxMessages, inboxPage, onrampPage, transactionPage } from '../dev/pages.ts'
import { AppError } from '../errors.ts'
import { requireJson } from '../middleware/requests.ts'
import { validate } from '../middleware/validate.ts'
import { success } from '../result.ts'

/** /dev: the inbox, faucet and explorer of local stacks. Responds 404 in other environments. */
export const dev = new Hono<AppEnv>()
  .use(async (c, next) => {
    if (c.env.ENVIRONMENT !== 'local') throw new AppError('not_found', 'Not found.')
    await next()
  })
  .get('/inbox', async (c) => {
    const messages = await inboxMessages(c.var.deps, c.req.query('to')?.trim().toLowerCase() || null)
    c.header('vary', 'Accept')
    if (c.req.header('accept')?.includes('application/json')) return c.json(messages)
    return inboxPage(c, messages)
  })
  .post('/faucet', requireJson, validate('json', Faucet), async (c) =>
    c.json(success(await mintStandIn(c.env, c.req.valid('json')))),
  )
  .get('/onramp', validate('query', LocalOnramp), (c) => onrampPage(c, c.req.valid('query')))
  .post('/onramp', validate('form', LocalOnramp), async (c) => {
    const { address, amount, redirectUrl } = c.req.valid('form')
    await mintStandIn(c.env, { address, amount, chain: chainNameOf(primaryChain(c.env)) })
    const here = new URL(c.env.APP_ORIGIN).origin
    return c.redirect(new URL(redirectUrl).origin === here ? redirectUrl : here, 303)
  })
  // Pages may only connect to their own origin, so the browser reaches the local chains through this route.
  .post('/rpc/:chainId', requireJson, async (c) => {
    const chainId = Number(c.req.param('chainId'))
    if (!isChainId(chainId)) throw new AppError('not_found', 'Chain not found.')
    const { url } = localChain(c.env, chainId)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: await c.req.text() }).catch((cause) => {
      throw new AppError('upstream_unavailable', 'The local chain is not responding.', { cause })
    })
    return c.body(await response.text(), response.status as 200, headers)
  })
  .get('/beta', betaPage)
  .get('/tx/:hash', (c) => transactionPage(c, c.req.param('hash')))
  .get('/address/:address', (c) => addressPage(c, c.req.param('address')))
