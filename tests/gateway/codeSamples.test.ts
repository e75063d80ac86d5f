/** Runs what /docs shows for each operation: curl, TypeScript and the command line, from /openapi.json. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Bursar } from '#sdk'
import { type CodeSample, exampleIds, jsonExamples } from '../../worker/openapi/codeSamples.ts'
import type { OpenApi } from '../../worker/openapi/document.ts'
import { installPackage } from '../support/sdkPackage.ts'
import { startSeller } from '../support/seller.ts'
import { addressFor } from '../support/stackClient.ts'
import { createAgent, rpcUrl, url, usdc } from './gateway.ts'

const scopes = ['address_payments:write', 'email_payments:write', 'x402_payments:write', 'payout_runs:prepare']
const payTo = addressFor('shop of the samples')
const [installed, agent, seller, document] = await Promise.all([
  installPackage(),
  createAgent({ limit: 40, scopes, purchaseAllowance: 20 }),
  startSeller({ rpcUrl, usdc, payTo, prices: { '/weather': 10_000 } }),
  fetch(`${url}/openapi.json`).then((reply) => reply.json() as Promise<OpenApi>),
])
afterAll(() => seller.stop())
const { apiKey, clientId, clientSecret } = agent
const bursar = new Bursar({ url, apiKey })
const samples = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods).flatMap((operation) =>
    operation['x-codeSamples'].map((sample) => ({ ...sample, id: operation.operationId })),
  ),
)
const labelled = (label: string) => samples.filter((sample) => sample.label === label)

// One of each to read. The payment may be signed before a sample cancels it.
const payment = await bursar.pay({ to: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', amount: '1' })
const request = await bursar.budgetRequests.create({ amount: '1' })
const run = await bursar.prepareRun({ title: 'To read', rows: [{ to: 'ada@example.com', amount: '1' }] })
const resource = `${seller.url}/weather`
const paymentRequired = (await fetch(resource)).headers.get('payment-required')!
const purchase = await bursar.purchases.create({ resource, paymentRequired })
const shownPurchase = jsonExamples.CreatePurchase!.header as { value: { resource: string; payment_required: string } }
/** With ids and a seller that exist. */
const runnable = ({ source, id }: CodeSample & { id: string }) =>
  source
    .replaceAll(exampleIds.payment, id === 'storeReceipt' ? purchase.id : payment.id)
    .replaceAll(exampleIds.budgetRequest, request.id)
    .replaceAll(exampleIds.run, run.id)
    .replaceAll(shownPurchase.value.resource, resource)
    .replaceAll(shownPurchase.value.payment_required, paymentRequired)

const secrets = { BURSAR_CLIENT_ID: clientId, BURSAR_CLIENT_SECRET: clientSecret, BURSAR_TOKEN: 'none' }
const PATH = `${join(installed.folder, 'node_modules/.bin')}:${process.env.PATH}`
const env = { PATH, BURSAR_URL: url, BURSAR_API_KEY: apiKey, ...secrets }

test('every operation has a sample for curl; what it replies is a success, and one key pays once @openapi-5', async () => {
  const shown = labelled('curl')
  expect(shown.map(({ id }) => id).sort()).toEqual([...new Set(samples.map(({ id }) => id))].sort())
  const script = shown.map((sample) => `${runnable(sample)} -s -o /dev/null -w '${sample.id} %{http_code}\\n'`)
  const { stdout, stderr } = await installed.run('bash', ['-c', script.join('\n')], env)
  const statuses = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  )
  for (const { id } of shown)
    expect([id, statuses[id]], stderr).toEqual([
      id,
      expect.stringMatching(id === 'cancelPayment' ? /200|409/ : /^20[0-2]$/),
    ])
})

test('the samples in TypeScript run, and return the payment of the same key @openapi-6', async () => {
  const shown = labelled('TypeScript').filter(({ id }) => id !== 'cancelPayment')
  expect(shown.length).toBeGreaterThan(5)
  await Promise.all(shown.map((each) => writeFile(join(installed.folder, `${each.id}.ts`), runnable(each))))
  const all = shown.map(({ id }) => `console.log('# ${id}'); await import('./${id}.ts')`).join('\n')
  await writeFile(join(installed.folder, 'samples.mjs'), all)
  const { code, stdout, stderr } = await installed.run(process.execPath, ['--no-warnings', 'samples.mjs'], env)
  expect(code, stderr).toBe(0)
  const output = Object.fromEntries(
    stdout
      .split('# ')
      .slice(1)
      .map((part) => part.split('\n', 2)),
  )
  const found = []
  for await (const each of bursar.payments.list()) if (each.memo === 'Invoice 1142') found.push(each.id)
  expect(found).toHaveLength(1)
  expect(output.createPayment).toContain(found[0])
  expect(output.getPayment).toMatch(/^[A-Z]+$/)
})

test('the samples of the command line succeed @openapi-7', { tags: ['all'] }, async () => {
  const shown = labelled('Command line')
  expect(shown.length).toBeGreaterThan(4)
  const script = shown.map((sample) => `${runnable(sample)} > /dev/null; echo "${sample.id} $?"`)
  const { stdout, stderr } = await installed.run('bash', ['-c', script.join('\n')], env)
  const codes = shown.map(({ id }) => `${id} ${id === 'requestBudget' ? 4 : 0}`)
  expect(stdout.trim().split('\n'), stderr).toEqual(codes)
})
