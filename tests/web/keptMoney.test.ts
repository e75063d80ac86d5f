import fc from 'fast-check'
import { english, mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { addressOfValue, signTransfer, wordsOf } from '#web/keptMoney/account.ts'
import { checkCanReceive } from '#web/keptMoney/money.ts'
import { newUserId, PasskeyError } from '#web/keptMoney/passkey.ts'
import { isFinalRefusal, sendOnEnd, sendsLeftText } from '#web/keptMoney/sendOns.ts'
import { ApiError } from '#web/lib/apiError.ts'
import { transferTypes } from '../support/transferTypes.ts'

const value = (byte: (i: number) => number) => Uint8Array.from({ length: 32 }, (_, i) => byte(i))
const values = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new Uint8Array(bytes))

test('the derivation never changes: the money of every recipient who kept it would be lost @kept-1', async () => {
  const frozen = value((i) => i)
  expect(await wordsOf(frozen)).toBe('pepper sock mammal cup off fringe spring they grass glad machine coil')
  expect(await addressOfValue(frozen)).toBe('0x6274C568DB4731a37a7b41c731100a8b75d20Ca9')
})

test('the account is the first of the words in wallet apps, and its signature is one of USDC’s @kept-2', async () => {
  const transfer = fc.record({
    amount: fc.bigInt(1n, 10n ** 15n),
    validBefore: fc.nat(2 ** 40),
    nonce: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const),
    chain: fc.constantFrom('base' as const, 'base-sepolia' as const),
  })
  await fc.assert(
    fc.asyncProperty(values, transfer, async (prfValue, { chain, ...fields }) => {
      const account = mnemonicToAccount(await wordsOf(prfValue))
      expect((await wordsOf(prfValue)).split(' ').every((word) => english.includes(word))).toBe(true)
      expect(await addressOfValue(prfValue)).toBe(account.address)
      const [usdc, to] = [
        '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      ] as const
      const chainId = chain === 'base' ? 8453 : 84532
      const { amount, validBefore, nonce } = fields
      const expected = await account.signTypedData({
        domain: { name: chain === 'base' ? 'USD Coin' : 'USDC', version: '2', chainId, verifyingContract: usdc },
        types: transferTypes,
        primaryType: 'TransferWithAuthorization',
        message: { from: account.address, to, value: amount, validAfter: 0n, validBefore: BigInt(validBefore), nonce },
      })
      expect(await signTransfer(prfValue, { chain, chainId, usdc, to, ...fields })).toBe(expected)
    }),
    { numRuns: 12 },
  )
})

test('other lengths are refused @kept-3', async () => {
  for (const length of [0, 31, 33, 64]) await expect(wordsOf(new Uint8Array(length))).rejects.toThrow(RangeError)
})

test('no two passkeys have the same user id, whose first byte is the kind @kept-4', () => {
  const ids = Array.from({ length: 1000 }, newUserId)
  expect(new Set(ids.map((id) => id.join())).size).toBe(1000)
  expect(ids.every((id) => id.length === 16 && id[0] === 1)).toBe(true)
})

test('a passkey of another device, or one that gives another value, receives no money @kept-5', () => {
  const [address, other] = [
    '0x6274C568DB4731a37a7b41c731100a8b75d20Ca9',
    '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  ] as const
  const opened = (isOfDevice: boolean) => ({ address, isOfDevice })
  for (const earlier of [null, address]) expect(() => checkCanReceive(opened(true), earlier)).not.toThrow()
  expect(() => checkCanReceive(opened(true), other)).toThrow(new PasskeyError('differs'))
  for (const earlier of [null, address, other])
    expect(() => checkCanReceive(opened(false), earlier)).toThrow(new PasskeyError('notThisDevice'))
})

test('a signed transfer is forgotten after a refusal that is final, and kept after any other failure @kept-7', () => {
  const failure = (status: number, field?: string) => new ApiError(status, 'code', 'message', field)
  const final = [400, 401, 403, 404, 410, 422].map((status) => failure(status))
  for (const error of [...final, failure(400, 'validBefore'), failure(409, 'nonce')])
    expect(isFinalRefusal(error), `${error.status} ${error.field}`).toBe(true)
  for (const error of [failure(0), failure(409), failure(429), failure(500), failure(503), new TypeError('lost'), null])
    expect(isFinalRefusal(error), String(error)).toBe(false)
})

test('a transfer ends 29 minutes after now by the server’s clock @kept-8', () => {
  const now = Date.UTC(2026, 10, 29, 12)
  const end = (aheadMinutes: number) => sendOnEnd(now + aheadMinutes * 60_000, aheadMinutes) - now / 1000
  expect([0, 1, 45, -600].map(end)).toEqual(Array(4).fill(29 * 60))
})

test('the last transfers that are free are announced @kept-9', () => {
  expect([5, 4, 3].map(sendsLeftText)).toEqual([null, null, null])
  expect(sendsLeftText(2)).toMatch(/^Two more transfers are free/)
  expect(sendsLeftText(1)).toMatch(/^One more transfer is free/)
  expect(sendsLeftText(0)).toMatch(/^This was the last transfer that is free/)
})
