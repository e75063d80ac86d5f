/** The demo user's account after some use, as the screens show it. */
import { randomUUID } from 'node:crypto'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { Wallet } from '#schemas/wallet.ts'
import type { BursarClient } from '../../local/client.ts'
import { demo } from '../../local/stack/seed.ts'
import { agentAt, payOnce } from '../support/agentCalls.ts'
import type { Session } from '../support/readyAccounts.ts'
import { createFundedWallet, createPayout } from '../support/testStack.ts'
import { login } from './accounts.ts'

export type SeededAccount = {
  session: Session
  token: string
  wallet: Wallet
  group: PolicyGroup
  /** A payout that stays unclaimed. */
  payout: Awaited<ReturnType<typeof createPayout>>
}

export const recipient = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** The recipient of a refused payment, who is no contact. */
export const stranger = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

export async function seedAccount(bursar: BursarClient): Promise<SeededAccount> {
  const session = await login(bursar, demo.email, demo.password)
  const token = session.accessToken
  const wallet = await createFundedWallet(bursar, token)
  const make = <T>(path: string, body: unknown) => bursar.api<T>(path, { token, key: randomUUID(), body })
  const group = await make<PolicyGroup>('/policy-groups', {
    name: 'Research',
    spendLimit: 50,
    scopes: ['address_payments:write', 'email_payments:write'],
    walletId: wallet.id,
  })
  const agent = { name: 'Scout', memo: 'Buys data sets', policyGroupId: group.id }
  const apiKey = (await make<CreatedAgent>('/agents', agent)).apiKey!
  const contact = { name: 'Grace Hopper', address: recipient, email: 'grace@bursar.test', description: 'Compilers' }
  await make('/contacts', contact)

  const pay = (amount: string, address = recipient) =>
    payOnce(bursar, apiKey, { to: address, amount, memo: 'Data set, November' })
  const paid = await pay('41.5')
  const refused = await pay('20', stranger)
  if (paid.status !== 201 || refused.status !== 403)
    throw new Error('the first payment must fit the budget, the second must not')
  const payout = await createPayout(bursar, token, wallet.id)
  await agentAt(bursar.url, apiKey).payments.wait(paid.body.id)
  return { session, token, wallet, group, payout }
}
