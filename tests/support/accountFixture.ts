/** A user with wallet, contact, group and agent, created over HTTP as a client would do it. */
import { expect } from 'vitest'
import { type Api, createApi, createUser, seed } from '../worker/apiClient.ts'
import { chain, prepare, until } from './payer.ts'
import { party } from './workerChain.ts'

/** Creates the app with the current time, a seeded database and working chains. */
export async function createTestApp(): Promise<Api> {
  await seed()
  await prepare()
  const api = createApi()
  api.clock.now = Date.now()
  return api
}

export type AccountFixture = Awaited<ReturnType<typeof createAccountFixture>>

export async function createAccountFixture(api: Api, over: { funds?: bigint; limit?: number; scopes?: string[] } = {}) {
  const { token, id: user } = await createUser(api)
  const owner = party(`owner ${user}`).address
  const deployed = await api.call('POST', '/api/wallets/smart-wallets-v2/deploy', {
    token,
    body: { ownerAddress: owner, chainId: 8453 },
  })
  expect(deployed.status, deployed.text).toBe(201)
  const wallet = deployed.json.data.id as string
  const walletAddress = deployed.json.data.walletAddress as `0x${string}`
  await until('active', async () => (await api.call('GET', '/api/wallets', { token })).json.data[0].status === 'active')
  await chain.mint(walletAddress, over.funds ?? 50_000_000n)
  const contact = await api.call('POST', '/api/contacts', {
    token,
    body: { name: 'Carol', address: party('carol').address },
  })
  const scopes = over.scopes ?? ['address_payments:write', 'contact_payments:write', 'email_payments:write']
  const body = {
    name: 'Group',
    spendLimit: over.limit ?? 20,
    scopes,
    walletId: wallet,
    whitelistedContactIds: [contact.json.data.id],
  }
  const group = await api.call('POST', '/api/policy-groups', { token, body })
  expect(group.status, group.text).toBe(201)
  const agent = await api.call('POST', '/api/agents', {
    token,
    body: { name: 'Agent', policyGroupId: group.json.data.id },
  })
  expect(agent.status, agent.text).toBe(201)
  const { clientId, clientSecret, apiKey } = agent.json.data as {
    clientId: string
    clientSecret: string
    apiKey: string
  }
  return {
    token,
    user,
    owner,
    wallet,
    walletAddress,
    clientId,
    clientSecret,
    apiKey,
    contact: contact.json.data.id as string,
    group: group.json.data.id as string,
    agent: agent.json.data.agent.id as string,
    groupNow: async () => (await api.call('GET', '/api/policy-groups', { token })).json.data[0],
  }
}
