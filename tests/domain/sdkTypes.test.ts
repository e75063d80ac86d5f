/** The types of the SDK. `npm run check` compiles this under `strict` and `exactOptionalPropertyTypes`. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, expectTypeOf, test } from 'vitest'
import {
  Bursar,
  BursarRefusal,
  type FetchOptions,
  type Payment,
  type PayOptions,
  type Purchase,
  verifyWebhook,
  type WebhookEvent,
} from '#sdk'

const bursar = new Bursar({ apiKey: 'bk_test', url: 'https://bursar.example' })
type Pay = Parameters<typeof bursar.pay>[0]

test('amounts are texts, and recipients one of four kinds or a text @sdk-21', () => {
  expectTypeOf<Pay>().toEqualTypeOf<PayOptions>()
  expectTypeOf<PayOptions['amount']>().toEqualTypeOf<string>()
  expectTypeOf<{ to: string; amount: '12.5' }>().toExtend<Pay>()
  expectTypeOf<{ to: string; amount: number }>().not.toExtend<Pay>()
  expectTypeOf<{ to: string; amount: bigint }>().not.toExtend<Pay>()
  expectTypeOf<{ amount: string }>().not.toExtend<Pay>()
  expectTypeOf<{ to: { type: 'email'; email: string }; amount: string }>().toExtend<Pay>()
  expectTypeOf<{ to: { type: 'email'; address: string }; amount: string }>().not.toExtend<Pay>()
  expectTypeOf<{ to: string; amount: string; wait: 'later' }>().not.toExtend<Pay>()
})

test('a payment, a refusal and a list have the types of the API @sdk-22', () => {
  expectTypeOf(bursar.pay).returns.resolves.toEqualTypeOf<Payment & { replayed: boolean }>()
  expectTypeOf<Payment['status']>()
    .extract<'PENDING_APPROVAL' | 'CONFIRMED'>()
    .toEqualTypeOf<'PENDING_APPROVAL' | 'CONFIRMED'>()
  expectTypeOf(bursar.payments.list).returns.toExtend<AsyncIterable<Payment>>()
  expectTypeOf<BursarRefusal['maxAllowedNow']>().toEqualTypeOf<string | undefined>()
  expectTypeOf(BursarRefusal).instance.toExtend<Error>()
})

test('bursar.fetch can be passed wherever a fetch is expected, and says what it bought @x402-177', () => {
  expectTypeOf(bursar.fetch).toExtend<typeof fetch>()
  expectTypeOf<Awaited<ReturnType<typeof bursar.fetch>>['payment']>().toEqualTypeOf<Purchase | null>()
  expectTypeOf<{ maxAmount: '0.05'; wait: 'approved' }>().toExtend<FetchOptions>()
  expectTypeOf<{ maxAmount: number }>().not.toExtend<FetchOptions>()
  expectTypeOf<{ wait: 'sent' }>().not.toExtend<FetchOptions>()
})

test('the generated types are those of the OpenAPI document @sdk-39', async () => {
  const script = join(import.meta.dirname, '../../scripts/sdkTypes.ts')
  const { stderr } = await promisify(execFile)(process.execPath, ['--no-warnings', script, '--check'])
  expect(stderr).toBe('')
})

test('the type of an event says what its data is @sdk-23', () => {
  expectTypeOf(verifyWebhook).returns.resolves.toEqualTypeOf<WebhookEvent>()
  type DataOf<Name> = Extract<WebhookEvent, { type: Name }>['data']
  expectTypeOf<DataOf<'payment.confirmed'>['seq']>().toEqualTypeOf<number>()
  expectTypeOf<DataOf<'payment.confirmed'>['amount']>().toEqualTypeOf<string>()
  expectTypeOf<DataOf<'webhook.test'>['message']>().toEqualTypeOf<string>()
  expectTypeOf<Extract<WebhookEvent, { type: 'payment.unheard' }>>().toEqualTypeOf<never>()
})
