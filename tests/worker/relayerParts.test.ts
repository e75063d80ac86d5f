import { privateKeyToAccount } from 'viem/accounts'
import { decodeFunctionData, parseTransaction } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { relayAbi } from '../../worker/chain/abi.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import { signTransaction } from '../../worker/chain/transaction.ts'
import { type Contracts, RpcError, RpcUnavailable } from '../../worker/chain/types.ts'
import { InvalidSeed, relayerAccount } from '../../worker/relayer/account.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import { encodeBatch, failedPositions, packSend } from '../../worker/relayer/batchEncoding.ts'
import { maxBatchSize } from '../../worker/relayer/chooseBatch.ts'
import { feesWithin, parseFeeCeilings, replacementFees } from '../../worker/relayer/fees.ts'
import { validateJob } from '../../worker/relayer/jobIntake.ts'
import { outcomeOf } from '../../worker/relayer/transactionSubmitter.ts'
import { oneSet } from '../support/contractSets.ts'

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

describe('batch encoding', () => {
  test('a send takes 126 bytes in the order the Relay contract reads', () => {
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
  ])('a field that does not fit throws and is never truncated', (send) => {
    expect(() => packSend(send)).toThrow()
  })

  test('the largest batches stay under the gas limit of one transaction (EIP-7825)', () => {
    const send = { target, data: bytes('ab', 196), packed, contractSet: 1 }
    const call = { target, data: bytes('ab', 1_000), contractSet: 1 }
    const chain = { chainId: 8453 as const, contractSets: oneSet({ relay: target } as Contracts) }
    for (const [kind, job] of [['sends', send] as const, ['calls', call] as const]) {
      const { gas, data } = encodeBatch(kind, Array(maxBatchSize[kind === 'sends' ? 'send' : 'call']).fill(job), chain)
      expect(gas).toBeLessThan(16_777_216n)
      expect(decodeFunctionData({ abi: relayAbi, data }).functionName).toBe(kind)
    }
  })

  test('bit i of the returned bitmap stands for job i', () => {
    expect(failedPositions(`0x${'0'.repeat(62)}85`, 8)).toEqual([0, 2, 7])
    expect(failedPositions(`0x${'0'.repeat(64)}`, 50)).toEqual([])
  })
})

describe('validateJob', () => {
  const job: RelayJob = { id: 'job', userId: 'user', kind: 'send', target, data: '0x', packed, deadline: 1 }

  test('a job that can be encoded is valid, with or without packed fields', () => {
    const { packed: _, ...call } = job
    for (const valid of [job, call, { ...job, target: bytes('aA', 20), data: '0x00ff' as const }]) {
      expect(validateJob(valid)).toBeNull()
    }
  })

  test.each([
    { target: bytes('aa', 19) },
    { data: '0x0' },
    { data: '0xgg' },
    { data: 'aa' },
    { deadline: 1.5 },
    { packed: { ...packed, wallet: bytes('aa', 21) } },
    { packed: { ...packed, to: '0x' } },
    { packed: { ...packed, amount: String(2n ** 64n) } },
    { packed: { ...packed, amount: '0x01' } },
    { packed: { ...packed, nonce: '-1' } },
    { packed: { ...packed, deadline: 2 ** 48 } },
    { packed: { ...packed, deadline: -1 } },
    { packed: { ...packed, r: bytes('cc', 31) } },
    { packed: { ...packed, vs: `0x${'zz'.repeat(32)}` } },
  ])('a job with %j is malformed', (change) => {
    expect(validateJob({ ...job, ...change } as RelayJob)).toBe('malformed')
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
  })

  test('the signed bytes equal those of viem, and signing again gives the same bytes', async () => {
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
})

describe('the seed', () => {
  const almost = 'ab'.repeat(31)

  test.each(['', '33', `${almost}a`, `${almost}zz`, ` ${almost}ab`, `0x${almost}`, '00'.repeat(32), undefined])(
    'seed %j is refused with a message that does not contain it @relayer-7',
    (seed) => {
      const derive = () => relayerAccount(seed as string, 8453, 0)
      expect(derive).toThrow(InvalidSeed)
      expect(derive).toThrow(/^RELAYER_SEED_V1 must be 32 bytes of hex, other than zero$/)
    },
  )
})

describe('fees', () => {
  const gwei = 1_000_000_000n
  const ceilings = parseFeeCeilings(undefined)

  test('fees leave room for the base fee to double', () => {
    expect(feesWithin({ baseFeePerGas: 7n, maxPriorityFeePerGas: 3n }, ceilings)).toEqual({
      maxFeePerGas: 17n,
      maxPriorityFeePerGas: 3n,
    })
  })

  test.each([
    { base: 5n * gwei - 1n, priority: 2n * gwei - 1n, problem: null },
    { base: 5n * gwei, priority: 2n * gwei, problem: null },
    { base: 5n * gwei + 1n, priority: 1n, problem: /base fee of 5.000000001 gwei, the ceiling is 5$/ },
    { base: 1n, priority: 2n * gwei + 1n, problem: /priority fee of 2.000000001 gwei, the ceiling is 2$/ },
    { base: 10_000n * gwei, priority: 10_000n * gwei, problem: /10000 gwei/ },
  ])('base fee $base and priority fee $priority are checked against the ceilings', ({ base, priority, problem }) => {
    const fees = feesWithin({ baseFeePerGas: base, maxPriorityFeePerGas: priority }, ceilings)
    if (problem) expect(fees).toEqual({ problem: expect.stringMatching(problem) })
    else expect(fees).not.toHaveProperty('problem')
  })

  test('a replacement raises both fees by at least a tenth, up to the ceilings', () => {
    const last = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n }
    expect(replacementFees(last, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, ceilings)).toEqual({
      maxFeePerGas: 1_126n,
      maxPriorityFeePerGas: 12n,
    })
    const higher = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 50n }
    expect(replacementFees(last, higher, ceilings)).toEqual(higher)
    expect(replacementFees({ ...last, maxFeePerGas: 12n * gwei }, higher, ceilings)).toBeNull()
    expect(replacementFees({ ...last, maxPriorityFeePerGas: 2n * gwei }, higher, ceilings)).toBeNull()
  })

  test('fee ceilings are read from the setting, in gwei', () => {
    expect(parseFeeCeilings('{"priorityFee":0.05}')).toEqual({ baseFee: 5n * gwei, priorityFee: gwei / 20n })
    for (const text of ['{"priority":1}', '{"baseFee":"1"}', '{"baseFee":-1}', '[]', 'x']) {
      expect(() => parseFeeCeilings(text)).toThrow()
    }
  })
})

describe('replies to a broadcast', () => {
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
    ['an unknown message', 'later'],
    ['intrinsic gas too low', 'refused'],
    ['exceeds block gas limit', 'refused'],
    ['invalid sender', 'refused'],
  ])('the reply "%s" means %s', (message, outcome) => {
    expect(outcomeOf(new RpcError(-32000, message))).toBe(outcome)
  })

  test('no reply is an unknown outcome, and any other error is thrown', () => {
    expect(outcomeOf(new RpcUnavailable('timeout'))).toBe('later')
    expect(() => outcomeOf(new TypeError('bug'))).toThrow('bug')
  })
})
