/** Service limits as agents and owners see them, and recipients that USDC refuses. */

import { afterEach, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { stepGas } from '../../worker/domain/gasAllowance.ts'
import { defaultLimits, type Limits } from '../../worker/domain/limits.ts'
import { lookups } from '../../worker/treasury/core/knownRecipients.ts'
import { takeOwnerAction } from '../../worker/treasury/limits/ownerActions.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { noLimits } from '../support/limits.ts'
import { ownerSignature } from '../support/ownerSigner.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { party } from '../support/workerChain.ts'

const api = await createTestApp()
const own = await createAccountFixture(api)
afterEach(() => chain.fault({ mode: 'none' }))

const setLimits = (account: AccountFixture, limits: Partial<Limits>) =>
  inTreasury(account, (object) => {
    object.context.limits = { ...noLimits, ...limits }
    object.context.store.run('DELETE FROM gas_level')
  })
const pay = (account: AccountFixture, to: object, amount = '0.01') => account.pay({ to, amount })
const toAddress = (address = fresh('anyone')) => ({ type: 'address', address })
const budgetOf = async (account: AccountFixture) =>
  (await api.call('GET', '/v1/context', { token: account.apiKey })).json.budget as { held: string; remaining: string }

describe('payments of an agent', () => {
  test('of 200 parallel payments against a burst of 20 exactly 20 are accepted; the others name limit and reset @limits-20', async () => {
    const account = await createAccountFixture(api)
    await setLimits(account, { agentPaymentsPerSecond: 0.001, agentPaymentBurst: 20 })
    const to = toAddress()
    const replies = await Promise.all(Array.from({ length: 200 }, () => pay(account, to)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(180)
    const [{ headers, json }] = refused as [(typeof refused)[number]]
    expect(json).toMatchObject({ code: 'payment_rate_exceeded', rule: 'limits.agent_payments', max_allowed_now: '0' })
    expect(json.detail).toMatch(/^This agent may make payments at .* Please try again in \d+ minutes\.$/)
    expect(Date.parse(json.resets_at)).toBeGreaterThan(Date.now())
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await budgetOf(account)).remaining, 'of 20').toBe('19.8')
  })

  test('a created payment and the context report the remaining payment rates @limits-21', async () => {
    await setLimits(own, {})
    const { status, headers } = await pay(own, toAddress())
    expect(status).toBe(201)
    expect(headers.get('ratelimit-policy')).toMatch(
      /^"agent";q=1000;w=10, "agent_payments";q=\d+;w=\d+, "user_payments";/,
    )
    expect(headers.get('ratelimit')).toMatch(/, "agent_payments";r=\d+;t=\d+, "user_payments";r=\d+;t=\d+$/)
    await setLimits(own, { ...defaultLimits })
    const context = (await api.call('GET', '/v1/context', { token: own.apiKey })).json
    expect(context.limits.rates).toEqual([
      { name: 'agent_payments', limit: 200, remaining: 200, reset_seconds: expect.any(Number) },
      { name: 'user_payments', limit: 400, remaining: 400, reset_seconds: expect.any(Number) },
    ])
    expect(context.limits.gas).toMatchObject({ limit: 20_000_000, resets_at: expect.stringMatching(/T00:00:00.000Z$/) })
  })

  test('a dry run reports the rate limit as a refusal and uses up nothing @limits-22', async () => {
    await setLimits(own, { agentPaymentsPerSecond: 0.001, agentPaymentBurst: 0 })
    const body = { to: toAddress(), amount: '1' }
    const { status, json } = await api.call('POST', '/v1/payments/check', { token: own.apiKey, body })
    expect(status).toBe(200)
    expect(json).toMatchObject({ allowed: false, max_allowed_now: '0', refusal: { code: 'payment_rate_exceeded' } })
    await setLimits(own, {})
    expect((await api.call('POST', '/v1/payments/check', { token: own.apiKey, body })).json.allowed).toBe(true)
  })

  test('the usage dashboard shows the owner today’s gas allowance @limits-23', async () => {
    await setLimits(own, { ...defaultLimits })
    const { gasAllowance } = (await own.asOwner('GET', '/usage/dashboard')).json.data
    expect(gasAllowance.limit).toBe(20_000_000)
    expect(gasAllowance.used).toBeGreaterThan(0)
    expect(gasAllowance.payments).toBe(Math.floor(gasAllowance.remaining / stepGas.send))
  })
})

describe('recipients that USDC refuses', () => {
  test('a blacklisted recipient is refused before anything is held, and looked up again after ten minutes @limits-24', async () => {
    await setLimits(own, {})
    const blocked = fresh('blocked')
    await chain.blacklist(blocked)
    const before = (await budgetOf(own)).remaining
    for (let i = 0; i < 2; i++) {
      const { status, json } = await pay(own, toAddress(blocked))
      expect([status, json.code]).toEqual([422, 'recipient_blocked'])
    }
    expect((await budgetOf(own)).remaining).toBe(before)
    await chain.blacklist(blocked, 'unBlacklist')
    expect((await pay(own, toAddress(blocked))).status, 'the look-up is cached for ten minutes').toBe(422)
    await inTreasury(own, (object) => {
      for (const lookup of lookups(object.context).values()) lookup.at -= 10 * minuteMs
    })
    expect((await pay(own, toAddress(blocked))).status).toBe(201)
  })

  test('a node that does not respond blocks no payment, and the recipient is looked up again @limits-25', async () => {
    const address = fresh('later')
    await until('nothing is in flight', async () => (await budgetOf(own)).held === '0')
    await chain.fault({ mode: 'down' })
    const { status } = await pay(own, toAddress(address))
    await chain.fault({ mode: 'none' })
    expect(status).toBe(201)
    await chain.blacklist(address)
    expect((await pay(own, toAddress(address))).json.code).toBe('recipient_blocked')
  })

  test('look-ups of new recipients are rate limited; known recipients need none @limits-26', async () => {
    const known = toAddress()
    expect((await pay(own, known)).status).toBe(201)
    await setLimits(own, { agentLookupsPerSecond: 0.001, agentLookupBurst: 0 })
    const { status, json } = await pay(own, toAddress())
    expect([status, json.code, json.rule]).toEqual([429, 'rate_limited', 'limits.lookups'])
    expect((await pay(own, known)).status).toBe(201)
    // Without look-ups, refusals are decided on the known figures.
    expect((await pay(own, known, '1000')).json.code).toBe('budget_exceeded')
    await setLimits(own, {})
  })
})

test('an owner’s wallet changes are limited to 60 an hour and by the gas allowance, exits only by their own gas @limits-27', async () => {
  const account = await createAccountFixture(api)
  const deploy = (i: number) =>
    account.asOwner('POST', '/wallets/smart-wallets-v2/deploy', {
      ownerAddress: party(`owner ${i}`).address,
      chainId: 8453,
    })
  await setLimits(account, { ownerActionsPerHour: 1 })
  // The fixture's own deploy was counted under other limits.
  await inTreasury(account, (object) => object.context.store.run('DELETE FROM rate'))
  expect((await deploy(1)).status).toBe(201)
  const { status, json } = await deploy(2)
  expect([status, json.code]).toEqual([429, 'rate_limited'])
  expect(json.error).toMatch(/^Wallets can be changed once an hour\. Please try again in 60 minutes\.$/)
  await setLimits(account, { gasPerDay: 0, maxGasPerDay: 0 })
  expect((await deploy(3)).json.code).toBe('gas_allowance_exceeded')

  const wallet = `/api/wallets/smart-wallets-v2/${account.wallet}`
  const { data } = (await api.call('GET', `${wallet}/owner-signing-context`, { token: account.token })).json
  const { ownerNonce, deadline } = data as { ownerNonce: string; deadline: number }
  const signature = ownerSignature(
    { chainId: 8453, contract: account.walletAddress },
    { kind: 'revokeSession' },
    { ownerNonce: BigInt(ownerNonce), deadline },
    party(`owner ${account.user}`).key,
  )
  const leave = () =>
    api.call('POST', `${wallet}/owner-actions`, {
      token: account.token,
      body: { kind: 'revokeSession', ownerNonce, deadline, signature },
    })
  await setLimits(account, { exitGasPerDay: 0 })
  const refused = await leave()
  expect([refused.status, refused.json.code]).toEqual([429, 'gas_allowance_exceeded'])
  expect(refused.json.error).toContain('gas for withdrawals and revocations')
  await setLimits(account, { gasPerDay: 0, maxGasPerDay: 0 })
  expect((await leave()).status, 'an exit without any allowance').toBe(202)

  await setLimits(account, { ownerActionsPerHour: defaultLimits.ownerActionsPerHour })
  const codes = await inTreasury(account, ({ context }) => {
    const now = Date.now()
    context.now = () => now
    context.store.run('DELETE FROM rate')
    const steps = [...Array(61).fill('offer'), 'exit'] as const
    return steps.map((step) => takeOwnerAction(context, step, 8453)?.code)
  })
  expect(codes).toEqual([...Array(60).fill(undefined), 'rate_limited', undefined])
})

test('an SMS payout to a country without text messages is refused before anything is held @sms-4', async () => {
  await setLimits(own, {})
  const body = { sourceWalletId: own.wallet, amount: '1', recipientPhone: '+14155550123' }
  const create = () => own.asOwner('POST', '/escrow/create', body)
  const offer = (SMS_COUNTRIES: string) =>
    inTreasury(own, (object) => {
      object.context.env = { ...object.context.env, SMS_COUNTRIES }
    })
  await offer('')
  expect((await create()).json).toMatchObject({
    code: 'unprocessable',
    field: 'recipientPhone',
    error: 'This service does not send text messages. Please use an email address or a wallet address.',
  })
  await offer('DE,FR')
  expect((await create()).json.error).toMatch(/^This service does not send text messages to this number\./)
  await offer('US')
  expect((await create()).status).toBe(201)
  const config = async (SMS_COUNTRIES: string) =>
    (await api.call('GET', '/api/config', { env: { SMS_COUNTRIES } })).json.data.sms
  expect([await config(''), await config('US')]).toEqual([false, true])
})
