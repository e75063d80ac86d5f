/** A deployment without Base Sepolia: CONTRACTS_84532 is `{}`, as in production. */
import { expect, test } from 'vitest'
import { chainsFrom } from '../../worker/chain/rpcChain.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh, manualChain } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'
import { createApi, env } from './apiClient.ts'

const settings = { ...env, CONTRACTS_84532: '{}', SMS_COUNTRIES: '' }
const account = await createAccountFixture(await createTestApp())
const api = createApi(settings)
await inTreasury(account, ({ context }) => {
  context.chains = chainsFrom(settings)
})

test('without Base Sepolia, new addresses on Base are paid @ready-5', async () => {
  const body = { to: { type: 'address', address: fresh('shop') }, amount: '1' }
  const reply = await api.call('POST', '/v1/payments', { token: account.apiKey, key: 'new-address', body })
  expect(reply.status, reply.text).toBe(201)
})

test('without Base Sepolia, our own contracts are still refused as recipients', async () => {
  const { escrow, usdc } = JSON.parse(env.CONTRACTS_8453)
  for (const address of [escrow, usdc]) {
    const body = { to: { type: 'address', address }, amount: '1' }
    const reply = await api.call('POST', '/v1/payments/check', { token: account.apiKey, body })
    expect(reply.text).toContain('cannot receive payments')
  }
})

test('importing a wallet on a network that is not in use is refused with a clear message', async () => {
  const { address, key } = party('imported')
  const imported = await api.call('POST', '/api/wallets/with-private-key', {
    token: account.token,
    body: { address, chain: 'base-sepolia', privateKey: key, masterPassword: 'a long master password' },
  })
  expect([imported.status, imported.json]).toEqual([
    422,
    {
      success: false,
      error: 'Wallets on Base Sepolia are not available on this server.',
      code: 'unprocessable',
      field: 'chain',
    },
  ])
})

test('the server is ready even if the node of a network that is not in use is down', async () => {
  const production = {
    ENVIRONMENT: 'production',
    EMAIL_PROVIDER: 'resend',
    RESEND_API_KEY: 'k',
    MAIL_FROM: 'a@b.example',
  }
  await manualChain.fault({ mode: 'down' })
  const reply = await createApi({ ...settings, ...production } as typeof settings).call('GET', '/api/ready', {
    from: '203.0.113.77',
  })
  await manualChain.fault({ mode: 'none' })
  expect(reply.status, reply.text).toBe(200)
})
