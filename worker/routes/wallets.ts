import { Hono } from 'hono'
import type { AppEnv } from '../appEnv.ts'
import { checksumAddress } from '../domain/validators.ts'
import { AppError, ok, unwrap } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { validate } from '../middleware/validate.ts'
import { type DeployReply, DeployWallet } from '../schemas/wallet.ts'

/** /api/wallets */
export const wallets = new Hono<AppEnv>()
  .use(login())
  .get('/', async (c) => c.json(ok(await c.env.TREASURY.getByName(c.var.userId).wallets())))
  .post('/smart-wallets-v2/deploy', validate('json', DeployWallet), async (c) => {
    const { ownerAddress, chainId, name } = c.req.valid('json')
    const wallet = unwrap(
      await c.env.TREASURY.getByName(c.var.userId).deploy({
        key: idempotencyKey(c),
        owner: checksumAddress(ownerAddress),
        chainId,
        name: name || null,
      }),
    )
    const reply: DeployReply = {
      id: wallet.id,
      walletAddress: wallet.address,
      sessionKeyAddress: wallet.sessionKeyAddress,
      deploymentTxHash: wallet.deploymentTxHash,
    }
    return c.json(ok(reply), 201)
  })
  .get('/smart-wallets-v2/:walletId/session-key', async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).sessionKey(c.req.param('walletId'))))),
  )
  .get('/:walletId/usdc-balance', async (c) => {
    const balance = unwrap(await c.env.TREASURY.getByName(c.var.userId).balance(c.req.param('walletId')))
    if (balance === null) throw new AppError('upstream_unavailable', 'The balance can’t be read right now.')
    return c.json(ok({ balance, symbol: 'USDC' as const }))
  })
  .get('/:walletId/ledger', async (c) =>
    c.json(ok(unwrap(await c.env.TREASURY.getByName(c.var.userId).ledger(c.req.param('walletId'))))),
  )
