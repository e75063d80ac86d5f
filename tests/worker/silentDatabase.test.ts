/** What people and agents can do while D1 answers nothing, neither to the Worker nor to the objects. */

import { expect, test } from 'vitest'
import { within } from '../../worker/durable/within.ts'
import { established } from '../../worker/treasury/limits/accountAge.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { historyOf } from '../support/histories.ts'
import { fresh } from '../support/payer.ts'
import { setDatabase, silentD1 } from '../support/silentDatabase.ts'
import { inTreasury, treasuryOf } from '../support/treasuries.ts'
import { env, type Options } from './apiClient.ts'

const answerMs = 5_000 // 5 seconds

test('while D1 answers nothing, the overview, lists, payments, payouts and claims succeed @d1-down-1', async () => {
  const api = await createTestApp()
  const own = await createAccountFixture(api)
  const { link, passcode } = await own.createPayout()
  const down = { DB: silentD1 }
  for (const region of ['weur', 'enam', 'apac']) await setDatabase(env.SERVICE_STOPS.getByName(region), silentD1)
  await setDatabase(env.RELAYER.getByName('8453:0'), silentD1)
  await setDatabase(treasuryOf(own), silentD1)
  // A new account may send a recipient only so many messages.
  await inTreasury(own, ({ context }) => {
    established(context).isKnown = false
    context.limits = { ...context.limits, establishedAfterPayments: 1_000 }
  })
  await setDatabase(historyOf(own), silentD1)

  const failed: string[] = []
  const call = async (method: string, path: string, { body, ...options }: Options = {}) => {
    const input = { token: own.token, key: crypto.randomUUID(), env: down, ...options }
    const answer = await within(answerMs, () =>
      api.call(method, path, { ...input, ...(body !== undefined && { body }) }),
    ).catch((error: Error) => error)
    if (answer instanceof Error) failed.push(`${method} ${path}: ${answer.message}`)
    else if (answer.status >= 300) failed.push(`${method} ${path}: ${answer.text}`)
    return answer instanceof Error ? {} : answer.json
  }
  const agent = { token: own.apiKey }
  const to = (name: string) => ({ type: 'address', address: fresh(name) })
  await call('POST', '/v1/payments', { ...agent, body: { to: to('shop'), amount: '1' } })
  const byEmail = { type: 'email', email: 'dora@example.com' }
  await call('POST', '/v1/payments', { ...agent, body: { to: byEmail, amount: '1' } })
  await call('GET', '/v1/context', agent)
  await call('GET', '/v1/payments', agent)
  const sent = { walletId: own.wallet, toAddress: fresh('friend'), amount: '1' }
  const { data: transaction } = await call('POST', '/api/transactions/send', { body: sent })
  const made = { sourceWalletId: own.wallet, amount: '1', recipientEmail: 'eve@example.com' }
  const { data: payout } = await call('POST', '/api/escrow/create', { body: made })

  await call('GET', `/api/escrow/claim/${link}`)
  const { data: verified } = await call('POST', '/api/escrow/verify-passcode', {
    body: { accessToken: link, passcode },
  })
  const { sessionToken } = verified ?? {}
  const claim = { accessToken: link, sessionToken, recipientAddress: fresh('bob') }
  await call('POST', '/api/escrow/claim', { body: claim })

  for (const path of ['wallets', 'usage/dashboard', 'policy-groups/with-agents', 'notices', 'approvals', 'webhooks'])
    await call('GET', `/api/${path}`)
  await call('GET', '/api/transactions/export')
  await call('GET', `/api/transactions/${transaction?.id}`)
  await call('GET', `/api/escrow/${payout?.escrowId}`)
  const { data: overview } = await call('GET', '/api/overview')
  await call('GET', '/api/overview/balance')
  const { data: transactions } = await call('GET', '/api/transactions/user')
  const { data: payouts } = await call('GET', '/api/escrow/list')
  expect(failed).toEqual([])
  // The list has the deposit too.
  expect([overview.transactionCount, transactions.length, payouts.escrows.length]).toEqual([5, 6, 3])
  expect(payouts.escrows[0]).toMatchObject({ recipientEmail: 'eve@example.com', delivery: null })
})
