import fc from 'fast-check'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capOf, countOf, type PurchaseClass, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { agentWalletAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { usdcDomainSeparator } from '../../worker/chain/authorization.ts'
import { type Purchase, purchaseDigest, purchaseIn, purchaseNonce, signPurchase } from '../../worker/chain/purchase.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import type { Hex } from '../../worker/chain/types.ts'
import { oneSet } from '../support/contractSets.ts'
import {
  createWallet,
  createWalletData,
  type LocalChain,
  party,
  startLocalChain,
  type TestWallet,
} from '../support/localChain.ts'
import { settlePurchaseCall } from '../support/purchases.ts'

const allowance = 7
const shop = party('shop').address
const yes = '0x1626ba7e'

describe('purchases that the Worker signs', () => {
  let chain: LocalChain
  let buyer: TestWallet
  let separator: Hex
  let validBefore: number

  beforeAll(async () => {
    chain = await startLocalChain()
    buyer = await createWallet(chain, 'buyer', { purchaseAllowance: allowance })
    await chain.submit(chain.contracts.factory, createWalletData(buyer.parameters))
    await chain.mint(buyer.address, 100_000_000n)
    separator = (await usdcDomainSeparator(new RpcChain(8453, oneSet(chain.contracts), [chain.url])))!
    validBefore = (await chain.now()) + 240
  })

  afterAll(() => chain.stop())

  const purchaseOf = (purchaseClass: PurchaseClass, number: number, over: Partial<Purchase> = {}): Purchase => ({
    ...{ from: buyer.address, to: shop, amount: capOf(purchaseClass), validBefore },
    ...{ epoch: 1, class: purchaseClass, number, ...over },
  })
  const answerTo = (purchase: Purchase) =>
    chain.client.readContract({
      address: buyer.address,
      abi: agentWalletAbi,
      functionName: 'isValidSignature',
      args: [purchaseDigest(separator, purchase), signPurchase(separator, purchase, buyer.session.key)],
    })

  test('the wallet confirms the first and the last of each class, and no further one @x402-20', async () => {
    for (const purchaseClass of purchaseClasses) {
      const count = countOf(purchaseClass, allowance)
      expect(await answerTo(purchaseOf(purchaseClass, 0))).toBe(yes)
      expect(await answerTo(purchaseOf(purchaseClass, count - 1))).toBe(yes)
      expect(await answerTo(purchaseOf(purchaseClass, count))).toBe('0xffffffff')
      const above = { amount: capOf(purchaseClass) + 1n }
      expect(await answerTo(purchaseOf(purchaseClass, 0, above))).toBe('0xffffffff')
    }
  })

  test('USDC pays a purchase once, whoever submits it, and the log names its number @x402-21', async () => {
    const purchase = purchaseOf(1, 3, { amount: 70_000n })
    const call = settlePurchaseCall(purchase, signPurchase(separator, purchase, buyer.session.key))
    const receipt = await chain.submit(chain.contracts.usdc, call)
    expect(await balanceOf(shop)).toBe(70_000n)
    expect(purchaseIn(receipt.logs[0]!.topics[2]!)).toEqual({ epoch: 1, class: 1, number: 3 })
    expect(receipt.logs).toHaveLength(2)

    const again = await chain.submit(chain.contracts.usdc, call, { mayRevert: true })
    expect(again.status).toBe('reverted')
    expect(await balanceOf(shop)).toBe(70_000n)
  })

  test('a nonce says which purchase it belongs to; other nonces belong to none @x402-22', () => {
    const parts = fc.record({
      epoch: fc.integer({ min: 0, max: 0xffff_ffff }),
      class: fc.constantFrom(...purchaseClasses),
      number: fc.integer({ min: 0, max: 0xffff_ffff }),
    })
    fc.assert(
      fc.property(parts, (numbers) => {
        expect(purchaseIn(purchaseNonce(numbers))).toEqual(numbers)
      }),
    )
    fc.assert(
      fc.property(parts, fc.bigInt({ min: 1n, max: (1n << 184n) - 1n }), (numbers, rest) => {
        const word = BigInt(purchaseNonce(numbers)) | rest
        expect(purchaseIn(`0x${word.toString(16).padStart(64, '0')}`)).toBeNull()
      }),
    )
  })

  test('a value that does not fit its field is not signed @x402-23', () => {
    for (const over of [{ amount: 1n << 64n }, { validBefore: 2 ** 48 }, { number: 2 ** 32 }])
      expect(() => signPurchase(separator, purchaseOf(0, 0, over), buyer.session.key)).toThrow()
  })

  async function balanceOf(account: Hex): Promise<bigint> {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args: [account] })
    const { data: result } = await chain.client.call({ to: chain.contracts.usdc, data })
    return BigInt(result!)
  }
})
