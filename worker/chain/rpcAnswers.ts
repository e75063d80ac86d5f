import { type Address, type Block, type Hex, type Log, RpcUnavailable, type WalletState } from './types.ts'

/** Shapes of JSON-RPC answers. Anything else than what the node must say is a broken answer: RpcUnavailable. */

export type RpcBlock = Block & { baseFeePerGas: bigint }
export type RpcReceipt = { status: 'success' | 'reverted'; blockNumber: number; gasUsed: bigint; logs: Log[] }

function broken(what: string): never {
  throw new RpcUnavailable(`broken answer: ${what}`)
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) broken(what)
  return value as Record<string, unknown>
}

export function hex(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) broken(what)
  return value.toLowerCase() as Hex
}

/** 32 bytes. */
export function hash(value: unknown, what: string): Hex {
  const text = hex(value, what)
  if (text.length !== 66) broken(what)
  return text
}

export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value)) broken(what)
  return BigInt(value)
}

export function integer(value: unknown, what: string): number {
  const number = Number(quantity(value, what))
  if (!Number.isSafeInteger(number)) broken(what)
  return number
}

export function block(value: unknown): RpcBlock {
  const fields = object(value, 'block')
  return {
    number: integer(fields.number, 'block number'),
    timestamp: integer(fields.timestamp, 'block timestamp'),
    hash: hash(fields.hash, 'block hash'),
    baseFeePerGas: quantity(fields.baseFeePerGas, 'base fee'),
  }
}

function log(value: unknown): Log {
  const fields = object(value, 'log')
  if (!Array.isArray(fields.topics)) broken('log topics')
  return {
    address: hex(fields.address, 'log address') as Address,
    topics: fields.topics.map((topic) => hash(topic, 'log topic')),
    data: hex(fields.data, 'log data'),
    blockNumber: integer(fields.blockNumber, 'log block'),
    transactionHash: hash(fields.transactionHash, 'log transaction'),
    logIndex: integer(fields.logIndex, 'log index'),
  }
}

/** Without those a reorganisation removed. */
export function logs(value: unknown): Log[] {
  if (!Array.isArray(value)) broken('logs')
  return value.filter((entry) => object(entry, 'log').removed !== true).map(log)
}

/** Null: the node knows no receipt. */
export function receipt(value: unknown): RpcReceipt | null {
  if (value === null) return null
  const fields = object(value, 'receipt')
  const status = quantity(fields.status, 'receipt status')
  if (status > 1n) broken('receipt status')
  return {
    status: status === 1n ? 'success' : 'reverted',
    blockNumber: integer(fields.blockNumber, 'receipt block'),
    gasUsed: quantity(fields.gasUsed, 'gas used'),
    logs: logs(fields.logs),
  }
}

/** One word of an ABI answer, as an integer. */
export function word(data: Hex, index: number): bigint {
  const start = 2 + index * 64
  if (data.length < start + 64) broken('short ABI answer')
  return BigInt(`0x${data.slice(start, start + 64)}`)
}

/** The struct of AgentWallet.state(), in its order. Null when nothing answered: the address has no code. */
export function walletState(data: Hex): WalletState | null {
  if (data === '0x') return null
  const text = (index: number) => word(data, index).toString(16).padStart(40, '0')
  return {
    blockNumber: Number(word(data, 0)),
    timestamp: Number(word(data, 1)),
    sessionKey: `0x${text(2)}`,
    validUntil: Number(word(data, 3)),
    epoch: Number(word(data, 4)),
    rotationDisabled: word(data, 5) === 1n,
    sessionRevoked: word(data, 6) === 1n,
    remaining: word(data, 7),
    top: word(data, 8),
    seen: word(data, 9),
    balance: word(data, 10),
    ownerNonce: word(data, 11),
  }
}
