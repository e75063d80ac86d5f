/** A user with wallet, contact, group and agent, created over HTTP as a client would do it. */
import { expect } from 'vitest'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import type { Address } from '../../worker/chain/types.ts'
import { type Api, createApi, createUser, type Options, seed } from '../worker/apiClient.ts'
import { chain, fresh, prepare, until } from './payer.ts'
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
  const { token, id: user, asOwner } = await createUser(api)
  const owner = party(`owner ${user}`).address
  const deployed = await asOwner('POST', '/wallets/smart-wallets-v2/deploy', { ownerAddress: owner, chainId: 8453 })
  expect(deployed.status, deployed.text).toBe(201)
  const wallet = deployed.json.data.id as string
  const walletAddress = deployed.json.data.walletAddress as `0x${string}`
  await until('active', async () => (await asOwner('GET', '/wallets')).json.data[0].status === 'active')
  await chain.mint(walletAddress, over.funds ?? 50_000_000n)
  const contact = await asOwner('POST', '/contacts', { name: 'Carol', address: party('carol').address })
  const scopes = over.scopes ?? ['address_payments:write', 'contact_payments:write', 'email_payments:write']
  const body = {
    name: 'Group',
    spendLimit: over.limit ?? 20,
    scopes,
    walletId: wallet,
    whitelistedContactIds: [contact.json.data.id],
  }
  const group = await asOwner('POST', '/policy-groups', body)
  expect(group.status, group.text).toBe(201)
  const agent = await asOwner('POST', '/agents', { name: 'Agent', policyGroupId: group.json.data.id })
  expect(agent.status, agent.text).toBe(201)
  const { clientId, clientSecret, apiKey } = agent.json.data as Record<'clientId' | 'clientSecret' | 'apiKey', string>
  /** Pays as the agent, under a new Idempotency-Key. */
  const pay = (body: unknown, over: Options = {}) =>
    api.call('POST', '/v1/payments', { token: apiKey, key: crypto.randomUUID(), body, ...over })
  /** Sends 1 USDC to a new address as the owner. */
  const send = (over: object = {}) =>
    asOwner('POST', '/transactions/send', { walletId: wallet, toAddress: fresh('recipient'), amount: '1', ...over })
  /** Creates a payout as the owner, and waits until it can be claimed. */
  async function createPayout(over: object = {}) {
    const input = { sourceWalletId: wallet, amount: '2', recipientEmail: 'bob@example.com', ...over }
    const made = await asOwner('POST', '/escrow/create', input)
    expect(made.status, made.text).toBe(201)
    const {
      escrowId: id,
      claimUrl: url,
      passcode,
      escrowSubwalletAddress: address,
    } = made.json.data as CreateEscrowReply
    const shown = async () => (await asOwner('GET', `/escrow/${id}`)).json.data
    const becomes = (status: string) => until(`payout ${status}`, async () => (await shown()).status === status)
    await becomes('CREATED')
    return { id, url, link: url.split('/claim/')[1]!, passcode: passcode!, address: address as Address, shown, becomes }
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
    groupNow: async () => (await asOwner('GET', '/policy-groups')).json.data[0],
    asOwner,
    pay,
    send,
    createPayout,
  }
}
