import { decodeEventLog, encodeFunctionData, isAddressEqual, isHex, size, toHex } from 'viem/utils'
import { relayAbi } from '../chain/abi.ts'
import { contractsOf } from '../chain/contractSets.ts'
import type { Address, Chain, Hex, Log } from '../chain/types.ts'
import type { RelayJob } from './api.ts'
import type { Batch } from './chooseBatch.ts'

/** A transaction without nonce, fees and signature. `gas` is its limit. */
export type TransactionContent = { to: Address; data: Hex; gas: bigint }

type EncodableJob = Pick<RelayJob, 'target' | 'data' | 'packed'> & { contractSet: number }

/** Gas limit of one send: the most expensive, to a fresh recipient through a cold proxy, was measured below 70,000. */
const sendGasLimit = 120_000n
/** Gas limit of any other call: deployments (130,000), announcements, claims, reclaims and rotations. */
const callGasLimit = 400_000n
/** Relay.ITEM_OVERHEAD. */
const gasOverheadPerJob = 6_000n

/** 126 bytes: wallet 20, to 20, amount 8, nonce 8, deadline 6, r 32, vs 32. Throws if a field does not fit. */
export function packSend(send: NonNullable<RelayJob['packed']>): Hex {
  const number = (value: bigint, bytes: number) => toHex(value, { size: bytes }).slice(2)
  const bytes = (value: Hex, length: number) => {
    if (!isHex(value) || value.length !== 2 + 2 * length) throw new RangeError(`not ${length} bytes`)
    return value.slice(2).toLowerCase()
  }
  const fields = [
    bytes(send.wallet, 20),
    bytes(send.to, 20),
    number(BigInt(send.amount), 8),
    number(BigInt(send.nonce), 8),
    number(BigInt(send.deadline), 6),
    bytes(send.r, 32),
    bytes(send.vs, 32),
  ]
  return `0x${fields.join('')}`
}

/**
 * The transaction of a batch. A direct one calls its job's target; the others go through the Relay contract of their
 * set, in which a failing job does not affect the others. Jobs of several sets never share a batch (chooseBatch.ts).
 */
export function encodeBatch(
  kind: Batch['kind'],
  jobs: readonly EncodableJob[],
  chain: Pick<Chain, 'chainId' | 'contractSets'>,
): TransactionContent {
  const count = BigInt(jobs.length)
  if (kind === 'direct') {
    const { target, data, packed } = jobs[0]!
    return { to: target, data, gas: transactionGas(data, packed ? sendGasLimit : callGasLimit) }
  }
  const { relay } = contractsOf(chain, jobs[0]!.contractSet)
  if (jobs.some(({ contractSet }) => contractSet !== jobs[0]!.contractSet))
    throw new Error('jobs of several contract sets in one batch')
  if (kind === 'sends') {
    const packed: Hex = `0x${jobs.map((job) => packSend(job.packed!).slice(2)).join('')}`
    const data = encodeFunctionData({ abi: relayAbi, functionName: 'sends', args: [sendGasLimit, packed] })
    return { to: relay, data, gas: transactionGas(data, batchGas(count, sendGasLimit)) }
  }
  const calls = jobs.map(({ target, data }) => ({ target, gasCap: callGasLimit, data }))
  const data = encodeFunctionData({ abi: relayAbi, functionName: 'calls', args: [calls] })
  return { to: relay, data, gas: transactionGas(data, batchGas(count, callGasLimit)) }
}

/** The gas that the Relay requires at its start (limit and overhead of one job more than there are), and to get there. */
function batchGas(count: bigint, gasLimit: bigint): bigint {
  return (count + 1n) * (gasLimit + gasOverheadPerJob) + 30_000n
}

/** The highest possible intrinsic gas (EIP-7623: 40 per byte) plus `execution`; unused gas is not paid for. */
function transactionGas(data: Hex, execution: bigint): bigint {
  return 21_000n + 40n * BigInt(size(data)) + execution
}

/** Positions set in the bitmap that `sends` and `calls` return from an eth_call. */
export function failedPositions(returned: Hex, count: number): number[] {
  const bitmap = BigInt(returned)
  return Array.from({ length: count }, (_, i) => i).filter((i) => (bitmap >> BigInt(i)) & 1n)
}

/** Positions that the Relay contract reported as failed in a mined batch. */
export function failedInLogs(logs: readonly Log[], relay: Address): Set<number> {
  const ours = logs.filter((log) => isAddressEqual(log.address, relay))
  return new Set(
    ours.map(({ topics, data }) => {
      const { args } = decodeEventLog({
        abi: relayAbi,
        eventName: 'ItemFailed',
        topics: topics as [Hex, ...Hex[]],
        data,
      })
      return Number(args.index)
    }),
  )
}
