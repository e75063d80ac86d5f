/** A deployment on Base Sepolia: PRIMARY_CHAIN is 84532, and CONTRACTS_8453 is `{}`. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { snapshots } from '../../worker/treasury/wallets/snapshots.ts'
import { createPayer, manualChain, prepare } from '../support/payer.ts'
import { party } from '../support/workerChain.ts'
import { createApi, createUser, env } from './apiClient.ts'

const settings = { ...env, PRIMARY_CHAIN: '84532', CONTRACTS_8453: '{}' } as const
const api = createApi(settings)
beforeAll(prepare)

test('a Base Sepolia deployment names its network to browsers and deploys wallets only there @ready-10', async () => {
  const config = await api.call('GET', '/api/config')
  expect(config.json.data.primaryChain).toBe('base-sepolia')
  const { token } = await createUser(api)
  const deploy = (chainId: number) =>
    api.call('POST', '/api/wallets/smart-wallets-v2/deploy', {
      token,
      body: { ownerAddress: party('an owner').address, chainId },
    })
  expect((await deploy(8453)).json).toMatchObject({
    error: 'Smart wallets can be deployed on Base Sepolia (84532) only',
    field: 'chainId',
  })
  expect((await deploy(84532)).status).toBe(201)
  const [wallet] = (await api.call('GET', '/api/wallets', { token })).json.data
  expect(wallet.chain).toBe('base-sepolia')
})

test('on a Base Sepolia deployment test money counts in totals and usage, and its wallet has an exposure @ready-11', async () => {
  const { treasury, wallet } = await createPayer({ on: manualChain, funds: '25' })
  const read = (PRIMARY_CHAIN: '8453' | '84532') =>
    runInDurableObject(treasury(), async (object: Treasury) => {
      object.context.env = { ...object.context.env, PRIMARY_CHAIN }
      snapshots(object.context).clear()
      const { totalBalance } = await object.reports().balance()
      const { wallets, payingWalletId } = await object.reports().overview()
      const { globalBudget } = await object.reports().usage()
      return { totalBalance, walletCount: wallets.length, payingWalletId, limit: globalBudget.limit }
    })
  expect(await read('8453')).toEqual({ totalBalance: '0', walletCount: 0, payingWalletId: null, limit: null })
  expect(await read('84532')).toEqual({
    totalBalance: '25',
    walletCount: 1,
    payingWalletId: wallet.id,
    limit: expect.stringMatching(/^\d+$/),
  })
  expect((await treasury().wallets().list())[0]).toMatchObject({
    chain: 'base-sepolia',
    exposure: { canLeave: '25', agents: '25', canRenew: true },
  })
})
