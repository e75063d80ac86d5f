/** Users with 200 USDC in a wallet, separate from the demo user whose data other tests read. */
import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Contact } from '#schemas/contact.ts'
import type { Payment, Problem } from '#schemas/payment.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { Recipient } from '#sdk'
import type { BursarClient } from '../../local/client.ts'
import { agentAt, payOnce, replyTo } from '../support/agentCalls.ts'
import { createFundedWallet } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { recipient } from './seededAccount.ts'

/** An address that nobody has used. */
export const newAddress = () => privateKeyToAddress(generatePrivateKey())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type FundedAccount = Awaited<ReturnType<typeof createFundedAccount>>
export type Owner = Awaited<ReturnType<typeof createOwner>>

export async function createFundedAccount(bursar: BursarClient) {
  const account = await createAccount(bursar)
  const wallet = await createFundedWallet(bursar, account.session.accessToken)
  const api = async <T>(path: string, body?: unknown, method: Method = body ? 'POST' : 'GET') =>
    bursar.api<T>(path, {
      token: await account.accessToken(),
      method,
      ...(body ? { body, key: randomUUID() } : {}),
    })
  const contact = (input: object) => api<Contact>('/contacts', input)
  return { account, wallet, api, contact }
}

/** A payer with two contacts, and functions that create policy groups and agents and pay. */
export async function createOwner(bursar: BursarClient) {
  const payer = await createFundedAccount(bursar)
  const grace = await payer.contact({ name: 'Grace Hopper', address: recipient, email: 'grace@bursar.test' })
  const alan = await payer.contact({ name: 'Alan Turing', email: 'alan@bursar.test' })
  const scopes = ['address_payments:write']
  return {
    ...payer,
    grace,
    alan,
    group: (name: string, more: object = {}) =>
      payer.api<PolicyGroup>('/policy-groups', { name, spendLimit: 20, scopes, walletId: payer.wallet.id, ...more }),
    agent: (group: PolicyGroup, name: string) =>
      payer.api<CreatedAgent>('/agents', { name, memo: 'Buys data sets', policyGroupId: group.id }),
    pay: <T = Payment>(
      apiKey: string,
      amount: string,
      to: Recipient = recipient,
      more: { reason?: string; memo?: string } = {},
    ) => payOnce<T>(bursar, apiKey, { to, amount, ...more }),
    context: (apiKey: string) => replyTo<Problem>(agentAt(bursar.url, apiKey).context()),
  }
}

/** Returns the address of USDC on Base. */
export async function usdcOf(bursar: BursarClient): Promise<`0x${string}`> {
  const { chains } = await bursar.api<{ chains: { 8453: { contracts: { usdc: `0x${string}` } } } }>('/config')
  return chains[8453].contracts.usdc
}
