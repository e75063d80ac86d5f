import { decodeEventLog, encodeFunctionData, size, toHex } from 'viem/utils'
import { relayAbi } from '../chain/abi.ts'
import type { Address, Hex, Log } from '../chain/types.ts'
import type { Plan } from '../domain/batch.ts'
import type { RelayItem } from './types.ts'

/** What a transaction carries, unsigned. */
export type Cargo = { to: Address; data: Hex; gas: bigint }

type Delivery = Pick<RelayItem, 'target' | 'data' | 'packed'>

/** The most gas one send may use: measured below 70,000 for the dearest, a fresh recipient through a cold proxy. */
const sendGasCap = 120_000n
/** The same for deployments (130,000), announcements, claims, reclaims and rotations. */
const callGasCap = 400_000n
/** Relay.ITEM_OVERHEAD. */
const itemOverhead = 6_000n

/** 126 bytes: wallet 20, to 20, amount 8, nonce 8, deadline 6, r 32, vs 32. Throws when a field does not fit. */
export function packSend(send: NonNullable<RelayItem['packed']>): Hex {
  const number = (value: bigint, bytes: number) => toHex(value, { size: bytes }).slice(2)
  const bytes = (value: Hex, length: number) => {
    if (!/^0x[0-9a-fA-F]*$/.test(value) || value.length !== 2 + 2 * length) throw new RangeError(`not ${length} bytes`)
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

/** The transaction of a plan. A direct one calls its target; the others go through the Relay, which isolates failures. */
export function cargoOf(kind: Plan['kind'], items: readonly Delivery[], relay: Address): Cargo {
  const count = BigInt(items.length)
  if (kind === 'direct') {
    const { target, data, packed } = items[0]!
    return { to: target, data, gas: transactionGas(data, packed ? sendGasCap : callGasCap) }
  }
  if (kind === 'sends') {
    const packed: Hex = `0x${items.map((item) => packSend(item.packed!).slice(2)).join('')}`
    const data = encodeFunctionData({ abi: relayAbi, functionName: 'sends', args: [sendGasCap, packed] })
    return { to: relay, data, gas: transactionGas(data, batchGas(count, sendGasCap)) }
  }
  const list = items.map(({ target, data }) => ({ target, gasCap: callGasCap, data }))
  const data = encodeFunctionData({ abi: relayAbi, functionName: 'calls', args: [list] })
  return { to: relay, data, gas: transactionGas(data, batchGas(count, callGasCap)) }
}

/** What the Relay asks to be left when it starts, one cap and overhead more than there are items, and the way there. */
function batchGas(count: bigint, gasCap: bigint): bigint {
  return (count + 1n) * (gasCap + itemOverhead) + 30_000n
}

/** Intrinsic gas at its dearest (EIP-7623: 40 for each byte) plus `execution`; unused gas is not paid. */
function transactionGas(data: Hex, execution: bigint): bigint {
  return 21_000n + 40n * BigInt(size(data)) + execution
}

/** Positions set in the bitmap that `sends` and `calls` answer to eth_call. */
export function failedPositions(answer: Hex, count: number): number[] {
  const bitmap = BigInt(answer)
  return Array.from({ length: count }, (_, i) => i).filter((i) => (bitmap >> BigInt(i)) & 1n)
}

/** Positions that the Relay reported as failed in a mined batch. */
export function failedInLogs(logs: readonly Log[], relay: Address): Set<number> {
  const ours = logs.filter((log) => log.address.toLowerCase() === relay.toLowerCase())
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
