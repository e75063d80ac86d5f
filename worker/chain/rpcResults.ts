import { type Address, type Block, type Hex, type Log, RpcUnavailable } from './types.ts'

/** Strict parsers of JSON-RPC results. Any other shape throws RpcUnavailable, because the outcome is then unknown. */

export type RpcBlock = Block & { baseFeePerGas: bigint }
export type RpcReceipt = { status: 'success' | 'reverted'; blockNumber: number; gasUsed: bigint; logs: Log[] }

function malformed(what: string): never {
  throw new RpcUnavailable(`malformed result: ${what}`)
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) malformed(what)
  return value as Record<string, unknown>
}

export function hex(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) malformed(what)
  return value.toLowerCase() as Hex
}

/** 32 bytes. */
export function hash(value: unknown, what: string): Hex {
  const text = hex(value, what)
  if (text.length !== 66) malformed(what)
  return text
}

export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value)) malformed(what)
  return BigInt(value)
}

export function integer(value: unknown, what: string): number {
  const number = Number(quantity(value, what))
  if (!Number.isSafeInteger(number)) malformed(what)
  return number
}

export function block(value: unknown): RpcBlock {
  const fields = object(value, 'block')
  return {
    number: integer(fields.number, 'block number'),
    timestamp: integer(fields.timestamp, 'block timestamp'),
    hash: hash(fields.hash, 'block hash'),
    parentHash: hash(fields.parentHash, 'parent hash'),
    baseFeePerGas: quantity(fields.baseFeePerGas, 'base fee'),
  }
}

/** `shared`: the texts of the logs read before. Those of one block are nearly all the same, and are kept once. */
export function log(value: unknown, shared = new Map<Hex, Hex>()): Log {
  const fields = object(value, 'log')
  if (!Array.isArray(fields.topics)) malformed('log topics')
  const once = (text: Hex): Hex => {
    const known = shared.get(text)
    if (known !== undefined) return known
    shared.set(text, text)
    return text
  }
  return {
    address: once(hex(fields.address, 'log address')) as Address,
    topics: fields.topics.map((topic) => once(hash(topic, 'log topic'))),
    data: once(hex(fields.data, 'log data')),
    blockNumber: integer(fields.blockNumber, 'log block'),
    blockHash: once(hash(fields.blockHash, 'log block hash')),
    transactionHash: once(hash(fields.transactionHash, 'log transaction')),
    logIndex: integer(fields.logIndex, 'log index'),
  }
}

/** Leaves out logs that a reorganization removed. */
export function logs(value: unknown): Log[] {
  if (!Array.isArray(value)) malformed('logs')
  const shared = new Map<Hex, Hex>()
  return value.filter((entry) => object(entry, 'log').removed !== true).map((entry) => log(entry, shared))
}

/** Null if the node has no receipt. */
export function receipt(value: unknown): RpcReceipt | null {
  if (value === null) return null
  const fields = object(value, 'receipt')
  const status = quantity(fields.status, 'receipt status')
  if (status > 1n) malformed('receipt status')
  return {
    status: status === 1n ? 'success' : 'reverted',
    blockNumber: integer(fields.blockNumber, 'receipt block'),
    gasUsed: quantity(fields.gasUsed, 'gas used'),
    logs: logs(fields.logs),
  }
}

/** The logs of all receipts of a block. A node without the block returns null, which is treated as malformed. */
export function receiptLogs(value: unknown): Log[] {
  if (!Array.isArray(value)) malformed('block receipts')
  return value.flatMap((entry) => logs(object(entry, 'receipt').logs))
}
