/** People with 200 USDC in a wallet, apart from the demo user that other tests look at. */
import { randomUUID } from 'node:crypto'
import type { BursarClient } from '../../scripts/demoClient.ts'
import type { Contact } from '../../worker/schemas/contact.ts'
import type { Payment, Problem } from '../../worker/schemas/payment.ts'
import type { CreatedAgent, PolicyGroup } from '../../worker/schemas/policy.ts'
import { aFundedWallet } from '../stack/aStack.ts'
import { anAccount } from './accounts.ts'
import { recipient } from './household.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Payer = Awaited<ReturnType<typeof aPayer>>
export type Owner = Awaited<ReturnType<typeof anOwner>>

export async function aPayer(bursar: BursarClient) {
  const account = await anAccount(bursar)
  const token = account.session.accessToken
  const wallet = await aFundedWallet(bursar, token)
  const api = <T>(path: string, body?: unknown, method: Method = body ? 'POST' : 'GET') =>
    bursar.api<T>(path, { token, method, ...(body ? { body, key: randomUUID() } : {}) })
  const contact = (input: object) => api<Contact>('/contacts', input)
  return { account, wallet, api, contact }
}

/** A payer with two contacts, who makes policy groups and agents. */
export async function anOwner(bursar: BursarClient) {
  const payer = await aPayer(bursar)
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
    pay: <T = Payment>(apiKey: string, amount: string, to: object = { type: 'address', address: recipient }) =>
      bursar.call<T>('/v1/payments', { token: apiKey, key: randomUUID(), body: { to, amount } }),
    context: (apiKey: string) => bursar.call<Problem>('/v1/context', { token: apiKey }),
  }
}
