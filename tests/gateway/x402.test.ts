/**
 * Agents buy from a seller with unmodified x402 packages: server for Hono, client for fetch, and a facilitator that settles on the
 * chain. tests/domain/sdkFetch.test.ts has sellers that misbehave.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, describe, expect, test } from 'vitest'
import type { ApprovalList } from '#schemas/approval.ts'
import { Bursar, BursarNotServed, BursarRefusal, type Payment } from '#sdk'
import { bursarScheme } from '../../sdk/src/x402.ts'
import { within } from '../support/patience.ts'
import { sellerNetwork as network, startSeller } from '../support/seller.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { createAgent, bursar as owner, rpcUrl, url, usdc } from './gateway.ts'

const payTo = addressFor('x402 shop')
const prices = { '/data': 50_000, 'POST /report': 280_000, '/dear': 1_500_000 }
const seller = await startSeller({ rpcUrl, usdc, payTo, prices, facilitators: 3 })
afterAll(() => seller.stop())

const chain = chainReader(rpcUrl, usdc)
const earned = () => chain.balanceOf(payTo)
const scopes = ['x402_payments:write']
const [smart, imported] = await Promise.all([
  createAgent({ scopes, purchaseAllowance: 50 }),
  createAgent({ scopes, imported: true }),
])
const bursarOf = ({ apiKey }: { apiKey: string }) => new Bursar({ url, apiKey })

/** How much the seller earns by this, in micro-USDC. */
async function earnedBy(work: () => Promise<unknown>): Promise<bigint> {
  const before = await earned()
  await work()
  return (await earned()) - before
}

async function newest(bursar: Bursar): Promise<Payment> {
  for await (const payment of bursar.payments.list({ pageSize: 1 })) return payment
  throw new Error('no payment')
}

describe.each([
  ['a smart wallet', smart],
  ['an imported wallet', imported],
] as const)('from %s', (_, agent) => {
  const bursar = bursarOf(agent)

  test('bursar.fetch buys, and the purchase is confirmed with its receipt @x402-167', async () => {
    const url = `${seller.url}/data?city=Rome`
    const sum = await earnedBy(async () => {
      const response = await bursar.fetch(url, {}, { maxAmount: '0.05', memo: 'Weather' })
      expect([response.status, await response.text()]).toEqual([200, 'paid /data'])
      const done = await bursar.payments.wait(response.payment!.id, { until: 'final' })
      expect(done).toMatchObject({
        status: 'CONFIRMED',
        amount: '0.05',
        memo: 'Weather',
        to: { type: 'x402', address: payTo, resource: `GET ${seller.url}/data` },
        receipt: { served: true },
      })
      expect(done.tx_hash).toMatch(/^0x[0-9a-f]{64}$/)
    })
    expect(sum).toBe(50_000n)
  })

  test('an unmodified client of x402 buys with our scheme @x402-168', async () => {
    const scheme = bursarScheme(bursar, { method: 'POST' })
    const client = new x402Client().register(network, scheme)
    // On the local chain, USDC has another address than on Base.
    client.setSpendControls({ allowedAssets: [{ network, asset: usdc, maxAmountPerPayment: '280000' }] })
    const http = new x402HTTPClient(client).onPaymentRequired(scheme.onPaymentRequired)
    const pay = wrapFetchWithPayment(fetch, http)
    const sum = await earnedBy(async () => {
      const response = await pay(`${seller.url}/report`, { method: 'POST', body: 'about Rome' })
      expect([response.status, await response.text()]).toEqual([200, 'paid /report: about Rome'])
    })
    expect(sum).toBe(280_000n)
    expect(await newest(bursar)).toMatchObject({ amount: '0.28', receipt: { served: true } })
  })

  test('six at once buy six times, and twenty calls with one key once @x402-169', async () => {
    const six = Array.from({ length: 6 }, () => bursar.fetch(`${seller.url}/data`))
    expect(await earnedBy(() => Promise.all(six))).toBe(300_000n)
    expect((await Promise.all(six)).map(({ status }) => status)).toEqual(Array(6).fill(200))
    const paymentRequired = (await fetch(`${seller.url}/data`)).headers.get('payment-required')!
    const terms = { resource: `${seller.url}/data`, paymentRequired, idempotencyKey: 'one', wait: 'signed' } as const
    const bought = await Promise.all(Array.from({ length: 20 }, () => bursar.purchases.create(terms)))
    expect(new Set(bought.map(({ id }) => id)).size).toBe(1)
    expect(new Set(bought.map(({ x402 }) => x402!.header)).size).toBe(1)
    const sum = await earnedBy(async () => {
      const again = await bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: 'one', maxAmount: '0.05' })
      expect(again.status).toBe(200)
      const twice = bursar.fetch(`${seller.url}/data`, {}, { idempotencyKey: 'one', maxAmount: '0.05' })
      await expect(twice).rejects.toBeInstanceOf(BursarNotServed)
    })
    expect(sum).toBe(50_000n)
  })
})

test('more than 1 USDC is bought from an imported wallet only, and max_amount is the agent’s own limit @x402-170', async () => {
  const dear = (agent: typeof smart, maxAmount: string) =>
    bursarOf(agent).fetch(`${seller.url}/dear`, {}, { maxAmount })
  const sum = await earnedBy(async () => {
    await expect(dear(smart, '2')).rejects.toMatchObject({ name: 'BursarRefusal', code: 'unsupported_payment' })
    await expect(dear(imported, '1')).rejects.toMatchObject({ name: 'BursarRefusal', code: 'max_amount_exceeded' })
    expect((await dear(imported, '1.5')).status).toBe(200)
  })
  expect(sum).toBe(1_500_000n)
})

test('an agent without the scope is refused, and buys nothing @x402-171', async () => {
  const bursar = bursarOf(await createAgent({ scopes: ['address_payments:write'] }))
  const sum = await earnedBy(async () => {
    await expect(bursar.fetch(`${seller.url}/data`)).rejects.toBeInstanceOf(BursarRefusal)
  })
  expect(sum).toBe(0n)
})

test('the owner is waited for, and the resource is bought after the approval @x402-172', async () => {
  const { sender } = smart
  const call = async <T>(path: string, method: string, body?: object) =>
    owner.api<T>(path, { token: await sender.token(), method: method as 'PUT', ...(body && { body }) })
  await call(`/policy-groups/${sender.groupId}`, 'PUT', { name: 'Group', scopes, approveAbove: '0.2' })
  const bursar = bursarOf(smart)
  const post = { method: 'POST', body: 'about Rome' }
  const terms = { idempotencyKey: 'report-1' }
  const sum = await earnedBy(async () => {
    const asked = await bursar.fetch(`${seller.url}/report`, post, terms).catch((error: Error) => error)
    expect(asked).toMatchObject({ name: 'BursarOutcomeUnknown', payment: { status: 'PENDING_APPROVAL' } })
    const { approvals } = await call<ApprovalList>('/approvals?status=pending', 'GET')
    expect(approvals).toHaveLength(1)
    const [{ id, hash }] = approvals as [ApprovalList['approvals'][number]]
    await call(`/approvals/${id}/approve`, 'POST', { hash })
    const response = await bursar.fetch(`${seller.url}/report`, post, { ...terms, wait: 'approved' })
    expect([response.status, await response.text()]).toEqual([200, 'paid /report: about Rome'])
  })
  expect(sum).toBe(280_000n)
})

test('the command line prints the resource to standard output, and what was paid to standard error @x402-173', async () => {
  const main = join(import.meta.dirname, '../../sdk/src/cli/main.ts')
  const args = ['--no-warnings', main, 'fetch', `${seller.url}/data`, '--max-amount', '0.05', '--key', 'cli-1']
  const env = { ...process.env, BURSAR_API_KEY: imported.apiKey, BURSAR_URL: url }
  const sum = await earnedBy(async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, ...within(30_000) })
    expect(stdout).toBe('paid /data')
    expect(JSON.parse(stderr)).toMatchObject({ status: 200, payment: { amount: '0.05' }, idempotency_key: 'cli-1' })
  })
  expect(sum).toBe(50_000n)
})
