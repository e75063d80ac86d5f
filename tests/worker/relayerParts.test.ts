import { privateKeyToAccount } from 'viem/accounts'
import { decodeFunctionData, parseTransaction } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { relayAbi } from '../../worker/chain/abi.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import { signTransaction } from '../../worker/chain/transaction.ts'
import { RpcError, RpcUnavailable } from '../../worker/chain/types.ts'
import { largestBatch } from '../../worker/domain/batch.ts'
import { feeCeiling, replacementFees } from '../../worker/domain/fees.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { outcomeOf } from '../../worker/relayer/broadcastOutcome.ts'
import { cargoOf, failedPositions, packSend } from '../../worker/relayer/packing.ts'

const bytes = (digits: string, length: number) => `0x${digits.repeat(length)}` as const
const target = bytes('aa', 20)
const packed = {
  wallet: bytes('aa', 20),
  to: bytes('bb', 20),
  amount: '258',
  nonce: String((7n << 32n) | 9n),
  deadline: 0x01_02_03_04_05,
  r: bytes('cc', 32),
  vs: bytes('dd', 32),
}

describe('packing', () => {
  test('a send takes 126 bytes in the order the Relay reads', () => {
    const expected = ['aa'.repeat(20), 'bb'.repeat(20), '0000000000000102', '0000000700000009', '000102030405']
    expect(packSend(packed)).toBe(`0x${expected.join('')}${'cc'.repeat(32)}${'dd'.repeat(32)}`)
  })

  test.each([
    { ...packed, amount: String(2n ** 64n) },
    { ...packed, nonce: String(2n ** 64n) },
    { ...packed, amount: '-1' },
    { ...packed, deadline: 2 ** 48 },
    { ...packed, to: bytes('bb', 19) },
    { ...packed, vs: bytes('dd', 33) },
  ])('what does not fit is an error, never cut off', (send) => {
    expect(() => packSend(send)).toThrow()
  })

  test('the largest batches stay under the gas of one transaction (EIP-7825)', () => {
    const send = { target, data: bytes('ab', 196), packed }
    const call = { target, data: bytes('ab', 1_000) }
    for (const [kind, item] of [['sends', send] as const, ['calls', call] as const]) {
      const { gas, data } = cargoOf(kind, Array(largestBatch[kind === 'sends' ? 'send' : 'call']).fill(item), target)
      expect(gas).toBeLessThan(16_777_216n)
      expect(decodeFunctionData({ abi: relayAbi, data }).functionName).toBe(kind)
    }
  })

  test('bit i of the answer is item i', () => {
    expect(failedPositions(`0x${'0'.repeat(62)}85`, 8)).toEqual([0, 2, 7])
    expect(failedPositions(`0x${'0'.repeat(64)}`, 50)).toEqual([])
  })
})

describe('signing', () => {
  const seed = '33'.repeat(32)

  test('accounts differ by chain and shard and never change', () => {
    const { address, privateKey } = relayerAccount(seed, 8453, 0)
    expect(address.toLowerCase()).toBe(addressOf(privateKey).toLowerCase())
    expect(relayerAccount(`0x${seed}`, 8453, 0).address).toBe(address)
    const others = [
      relayerAccount(seed, 8453, 1),
      relayerAccount(seed, 84532, 0),
      relayerAccount('34'.repeat(32), 8453, 0),
    ]
    expect(new Set([address, ...others.map((other) => other.address)]).size).toBe(4)
    expect(() => relayerAccount('33', 8453, 0)).toThrow('32 bytes')
  })

  test('the bytes are those of viem, and the same ones again', async () => {
    const { privateKey } = relayerAccount(seed, 8453, 0)
    for (const nonce of [0, 1, 127, 128, 70_000]) {
      const fields = {
        chainId: 8453,
        nonce,
        to: target,
        value: 0n,
        data: bytes('ab', nonce % 200),
        gas: 100_000n,
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1n,
      } as const
      const { raw, hash } = signTransaction(fields, privateKey)
      expect(raw).toBe(await privateKeyToAccount(privateKey).signTransaction({ ...fields, type: 'eip1559' }))
      expect(signTransaction(fields, privateKey)).toEqual({ raw, hash })
      expect(parseTransaction(raw)).toMatchObject({ nonce, to: target, gas: 100_000n })
    }
  })

  test('a replacement costs at least a tenth more in both fields, up to the ceiling', () => {
    const last = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n }
    expect(replacementFees(last, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toEqual({
      maxFeePerGas: 1_126n,
      maxPriorityFeePerGas: 12n,
    })
    const dear = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 50n }
    expect(replacementFees(last, dear)).toEqual(dear)
    expect(replacementFees({ ...last, maxFeePerGas: feeCeiling }, dear)).toBeNull()
  })
})

describe('answers to a broadcast', () => {
  test.each([
    ['already known', 'accepted'],
    ['transaction already imported', 'accepted'],
    ['AlreadyKnown', 'accepted'],
    ['nonce too low: next nonce 5, tx nonce 4', 'nonceTooLow'],
    ['OldNonce', 'nonceTooLow'],
    ['replacement transaction underpriced', 'underpriced'],
    ['transaction underpriced: tip needed 1, tip permitted 0', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x, maxFeePerGas: 1', 'underpriced'],
    ['FeeTooLow', 'underpriced'],
    ['insufficient funds for gas * price + value', 'later'],
    ['txpool is full', 'later'],
    ['in-flight transaction limit reached for delegated accounts', 'later'],
    ['something nobody has seen before', 'later'],
    ['intrinsic gas too low', 'refused'],
    ['exceeds block gas limit', 'refused'],
    ['invalid sender', 'refused'],
  ])('%s: %s', (message, outcome) => {
    expect(outcomeOf(new RpcError(-32000, message))).toBe(outcome)
  })

  test('no answer is unknown, and a bug is not an answer', () => {
    expect(outcomeOf(new RpcUnavailable('timeout'))).toBe('later')
    expect(() => outcomeOf(new TypeError('bug'))).toThrow('bug')
  })
})
