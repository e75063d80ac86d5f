import { expect, test } from 'vitest'
import { microUsdc } from '../../../worker/domain/money.ts'
import { paymentHeader, paymentPayload } from '../../../worker/domain/x402/paymentPayload.ts'
import { anOffer } from './offers.ts'

const accepted = anOffer({ description: 'Ä €' })
const offer = {
  payTo: accepted.payTo as `0x${string}`,
  amount: microUsdc(10_000n),
  accepted,
}
const signed = {
  from: `0x${'11'.repeat(20)}`,
  validBefore: 1_800_000_060,
  nonce: `0x${'01'.repeat(32)}`,
  signature: '0xabcd',
} as const

test('a payment repeats what the seller sent, with the authorisation @x402-18', () => {
  const resource = { url: 'https://shop.example/a' }
  const extensions = { bazaar: {} }
  expect(paymentPayload({ accepts: [accepted], resource, extensions }, offer, signed)).toEqual({
    x402Version: 2,
    accepted,
    resource,
    extensions,
    payload: {
      signature: '0xabcd',
      authorization: {
        from: signed.from,
        to: accepted.payTo,
        value: '10000',
        validAfter: '0',
        validBefore: '1800000060',
        nonce: signed.nonce,
      },
    },
  })
  expect(Object.keys(paymentPayload({ accepts: [accepted] }, offer, signed))).toEqual([
    'x402Version',
    'accepted',
    'payload',
  ])
})

test('the header is the payment’s JSON in UTF-8, in base64 @x402-19', () => {
  const payload = paymentPayload({ accepts: [accepted] }, offer, signed)
  expect(JSON.parse(Buffer.from(paymentHeader(payload), 'base64').toString())).toEqual(payload)
})
