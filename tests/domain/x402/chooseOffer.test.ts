import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc, min, parseUsdc } from '../../../worker/domain/money.ts'
import { type Choice, chooseOffer, purchaseEnd } from '../../../worker/domain/x402/chooseOffer.ts'
import { anOffer, token } from './offers.ts'

const choose = (accepts: Record<string, unknown>[], atMost: string | null = null): Choice =>
  chooseOffer({ accepts }, token, atMost === null ? null : parseUsdc(atMost))

test('the cheapest offer that can settle is chosen; of equal ones the seller’s first @x402-12', () => {
  const [first, cheap, same] = [anOffer(), anOffer({ amount: '9999' }), anOffer({ amount: '9999', description: 'b' })]
  const foreign = anOffer({ amount: '1', network: 'eip155:1' })
  expect(choose([foreign, first, cheap, same])).toEqual({
    ok: true,
    offer: { payTo: first.payTo, amount: 9999n, accepted: cheap },
  })
  expect(choose([cheap, same])).toHaveProperty('offer.accepted', cheap)
})

test('an offer that can’t settle is not paid @x402-13', () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ scheme: 'upto' }, 'scheme'],
    [{ scheme: undefined }, 'scheme'],
    [{ network: 'eip155:84532' }, 'network'],
    [{ network: 'base' }, 'network'],
    [{ asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }, 'asset'],
    [{ asset: null }, 'asset'],
    [{ extra: { name: 'USDC', version: '2' } }, 'extra'],
    [{ extra: { name: 'USD Coin', version: '1' } }, 'extra'],
    [{ extra: { name: 'USD Coin' } }, 'extra'],
    [{ extra: undefined }, 'extra'],
    [{ extra: 'USD Coin' }, 'extra'],
    [{ extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2' } }, 'transfer method'],
    [{ amount: '0' }, 'amount'],
    [{ amount: 10000 }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: '0.01' }, 'amount'],
    [{ amount: '1e4' }, 'amount'],
    [{ amount: '0x10' }, 'amount'],
    [{ amount: '1000000000000001' }, 'amount'],
    [{ amount: '9'.repeat(80) }, 'amount'],
    [{ payTo: 'merchant' }, 'payTo'],
    [{ payTo: undefined }, 'payTo'],
    [{ payTo: '0x209693bC6afc0C5328bA36FaF03C514EF312287C' }, 'payTo'],
    [{ maxTimeoutSeconds: '60' }, 'maxTimeoutSeconds'],
    [{ maxTimeoutSeconds: -1 }, 'maxTimeoutSeconds'],
    [{ maxTimeoutSeconds: 1.5 }, 'maxTimeoutSeconds'],
    [{ maxTimeoutSeconds: Number.NaN }, 'maxTimeoutSeconds'],
  ]
  for (const [over, word] of cases) {
    const offer = anOffer(over)
    expect(choose([offer]), JSON.stringify(over)).toMatchObject({ ok: false, code: 'unsupported_payment' })
    expect(choose([offer]), JSON.stringify(over)).toHaveProperty('message', expect.stringContaining(word))
    // Another offer that can settle is paid all the same.
    expect(choose([offer, anOffer()])).toMatchObject({ ok: true })
  }
})

test('an explicit EIP-3009 offer, and an address in lower case, are accepted @x402-14', () => {
  const extra = { name: 'USD Coin', version: '2', assetTransferMethod: 'eip3009' }
  const offer = anOffer({ extra, asset: token.address.toLowerCase(), payTo: `0x${'ab'.repeat(20)}` })
  expect(choose([offer])).toMatchObject({ ok: true, offer: { accepted: offer } })
})

test('max_amount refuses only what costs more, with the figure @x402-15', () => {
  expect(choose([anOffer()], '0.01')).toMatchObject({ ok: true })
  expect(choose([anOffer()], '0.009999')).toMatchObject({
    ok: false,
    code: 'max_amount_exceeded',
    lowest: microUsdc(10_000n),
    message: 'The seller asks for 0.01 USDC, more than max_amount (0.009999).',
  })
})

test('nothing chosen costs more than another offer that can settle, and no offer makes it throw @x402-16', () => {
  const anything = fc.record({
    ...Object.fromEntries(Object.keys(anOffer()).map((field) => [field, fc.anything()])),
  })
  const payable = fc.bigInt({ min: 1n, max: 10n ** 15n }).map((amount) => anOffer({ amount: String(amount) }))
  fc.assert(
    fc.property(fc.array(fc.oneof(anything, payable), { maxLength: 8 }), (accepts) => {
      const choice = chooseOffer({ accepts }, token, null)
      const amounts = accepts.flatMap((offer) =>
        offer.scheme === 'exact' ? [microUsdc(BigInt(offer.amount as string))] : [],
      )
      if (amounts.length === 0) expect(choice.ok).toBe(false)
      else expect(choice.ok && choice.offer.amount).toBe(amounts.reduce(min))
    }),
  )
})

test('an authorisation ends 60 to 240 seconds after the block, as the seller wishes @x402-17', () => {
  const seconds = (maxTimeoutSeconds: number) => purchaseEnd(1_800_000_000, { maxTimeoutSeconds }) - 1_800_000_000
  expect([0, 1, 60, 61, 240, 241, 86_400].map(seconds)).toEqual([60, 60, 60, 61, 240, 240, 240])
})
