import { Hono } from 'hono'
import type { z } from 'zod'
import { type ChainId, chainIdOf, networks } from '#domain/networks.ts'
import { checksumAddress } from '#domain/validators.ts'
import { CreateOnrampSession } from '#schemas/onramp.ts'
import { RotateSessionKey, SubmitOwnerAction } from '#schemas/sessionKey.ts'
import {
  DeleteWallet,
  type DeployReply,
  DeployWallet,
  ImportWallet,
  RenameWallet,
  ViewPrivateKey,
} from '#schemas/wallet.ts'
import type { AppEnv } from '../appEnv.ts'
import { isInUse, primaryChain } from '../chain/networkSettings.ts'
import { AppError } from '../errors.ts'
import { login } from '../middleware/auth.ts'
import { idempotencyKey } from '../middleware/idempotency.ts'
import { ownerPassword } from '../middleware/ownerPassword.ts'
import { validate } from '../middleware/validate.ts'
import { success, unwrap } from '../result.ts'
import { createOnrampSession } from '../services/onramp.ts'
import { setPaused } from './setPaused.ts'

/** /api/wallets */
export const wallets = new Hono<AppEnv>()
  .use(login('treasury'))
  .get('/', async (c) => c.json(success(await c.var.treasury.wallets().list())))
  .post('/smart-wallets-v2/deploy', validate('json', DeployWallet), async (c) => {
    const { ownerAddress, chainId, name, purchaseAllowance } = c.req.valid('json')
    const primary = primaryChain(c.env)
    if (chainId !== primary) throw notPrimary(primary)
    const wallet = unwrap(
      await c.var.treasury.wallets().deploy({
        key: idempotencyKey(c),
        owner: checksumAddress(ownerAddress),
        chainId: primary,
        name: name || null,
        purchaseAllowance,
      }),
    )
    const reply: DeployReply = {
      id: wallet.id,
      walletAddress: wallet.address,
      sessionKeyAddress: wallet.sessionKeyAddress,
      deploymentTxHash: wallet.deploymentTxHash,
    }
    return c.json(success(reply), 201)
  })
  .get('/smart-wallets-v2/:walletId/session-key', async (c) =>
    c.json(success(unwrap(await c.var.treasury.wallets().sessionKey(c.req.param('walletId'))))),
  )
  .post(
    '/smart-wallets-v2/:walletId/rotate-session-key',
    ownerPassword(),
    validate('json', RotateSessionKey),
    async (c) => {
      const { passwordChecked } = c.var
      const input = { ...grantOf(c.req.valid('json')), key: idempotencyKey(c), walletId: c.req.param('walletId') }
      return c.json(
        success(unwrap(await c.var.treasury.wallets().rotateSessionKey({ ...input, passwordChecked }))),
        202,
      )
    },
  )
  .post('/smart-wallets-v2/:walletId/session-offers', validate('json', RotateSessionKey), async (c) => {
    const input = { ...grantOf(c.req.valid('json')), key: idempotencyKey(c), walletId: c.req.param('walletId') }
    return c.json(success(unwrap(await c.var.treasury.wallets().offerSession(input))), 201)
  })
  .get('/smart-wallets-v2/:walletId/owner-signing-context', async (c) =>
    c.json(success(unwrap(await c.var.treasury.wallets().ownerSigningContext(c.req.param('walletId'))))),
  )
  .post('/smart-wallets-v2/:walletId/owner-actions', validate('json', SubmitOwnerAction), async (c) => {
    const input = { ...c.req.valid('json'), walletId: c.req.param('walletId') }
    return c.json(success(unwrap(await c.var.treasury.wallets().submitOwnerAction(input))), 202)
  })
  .post('/with-private-key', validate('json', ImportWallet), async (c) => {
    const { name, address, chain, policyGroupId, privateKey, masterPassword } = c.req.valid('json')
    const chainId = chainIdOf(chain)
    if (!isInUse(c.env, chainId)) throw notInUse(chainId, 'chain')
    const wallet = unwrap(
      await c.var.treasury.wallets().importWallet({
        key: idempotencyKey(c),
        name: name || null,
        address: checksumAddress(address),
        chainId,
        policyGroupId: policyGroupId || null,
        privateKey,
        masterPassword,
      }),
    )
    return c.json(success(wallet), 201)
  })
  .put('/:walletId', validate('json', RenameWallet), async (c) => {
    const name = c.req.valid('json').name || null
    return c.json(success(unwrap(await c.var.treasury.wallets().rename(c.req.param('walletId'), name))))
  })
  .delete('/:walletId', ownerPassword(), validate('json', DeleteWallet), async (c) => {
    const { treasury, passwordChecked } = c.var
    return c.json(success(unwrap(await treasury.wallets().delete(c.req.param('walletId'), passwordChecked))))
  })
  .post('/:walletId/private-key', validate('json', ViewPrivateKey), async (c) => {
    const { masterPassword } = c.req.valid('json')
    c.header('Cache-Control', 'no-store')
    return c.json(
      success(unwrap(await c.var.treasury.wallets().viewPrivateKey(c.req.param('walletId'), masterPassword))),
    )
  })
  .post('/:walletId/pause', async (c) => setPaused(c, { kind: 'wallet', id: c.req.param('walletId') }, true))
  .post('/:walletId/resume', ownerPassword(), async (c) =>
    setPaused(c, { kind: 'wallet', id: c.req.param('walletId') }, false),
  )
  .get('/:walletId/usdc-balance', async (c) => {
    const balance = unwrap(await c.var.treasury.wallets().balance(c.req.param('walletId')))
    if (balance === null) throw new AppError('upstream_unavailable', 'The balance can’t be read right now.')
    return c.json(success({ balance, symbol: 'USDC' as const }))
  })
  .get('/:walletId/ledger', async (c) =>
    c.json(success(unwrap(await c.var.treasury.reports().walletLedger(c.req.param('walletId'))))),
  )

const grantOf = ({ spendingLimit, ttlHours, purchaseAllowance }: z.output<typeof RotateSessionKey>) => ({
  limit: spendingLimit,
  hours: ttlHours,
  purchaseAllowance,
})

const notPrimary = (primary: ChainId) =>
  new AppError('invalid_input', `Smart wallets can be deployed on ${networks[primary].label} (${primary}) only`, {
    field: 'chainId',
  })

const notInUse = (chainId: ChainId, field: string) =>
  new AppError('unprocessable', `Wallets on ${networks[chainId].label} are not available on this server.`, { field })

/** /api/onramp */
export const onramp = new Hono<AppEnv>()
  .use(login('d1', 'onramp.start'))
  .post('/session', validate('json', CreateOnrampSession), async (c) => {
    const clientIp = c.req.header('cf-connecting-ip') ?? null
    return c.json(success(await createOnrampSession(c.var.deps, c.var.accountId, c.req.valid('json'), clientIp)), 201)
  })
