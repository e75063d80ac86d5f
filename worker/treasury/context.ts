import { bytesToHex } from '@noble/hashes/utils'
import { type Block, type Chain, type ChainId, type Hex, RpcError, RpcUnavailable } from '../chain/types.ts'
import { headFreshMs } from '../domain/intent.ts'
import type { Env } from '../env.ts'
import type { RelayItem } from '../relayer/types.ts'
import type { WalletLook } from './exposure.ts'
import type { Sealer } from './seal.ts'
import type { Store } from './store.ts'

export type TimerKind = 'settle' | 'outbox' | 'scan' | 'expiry' | 'reclaim'

/** What the Treasury's parts share. Time, randomness and chain are injected; tests replace them. */
export type Context = {
  env: Env
  userId: string
  store: Store
  sealer: Sealer
  chains: Record<ChainId, Chain>
  now: () => number
  random: (bytes: number) => Uint8Array
  /** Run `kind` no later than `at` (ms). Durable: written with the change that needs it. */
  wake: (kind: TimerKind, at: number) => void
  heads: Map<ChainId, { block: Block; readAt: number }>
  /** Wallets as they were last seen, and when (ms), by wallet id: memory only. */
  looks: Map<string, { value: Promise<WalletLook | null>; at: number }>
  /** Opened session keys by `${walletId}:${epoch}`: memory only. */
  keys: Map<string, Hex>
  /** When an imported wallet was last seen to be a plain key (ms), by wallet id: memory only. */
  plainKeys: Map<string, number>
  /** Recipients that are in known_recipient, lower case: memory only. */
  recipients: Set<string>
  /** Signed and committed, not handed to a Relayer yet: memory only, the tables know them as well. */
  outgoing: { chainId: ChainId; item: RelayItem }[]
  /** Of the Relayers, once it was read. */
  shard: number | null
  /** When an item was last handed over (ms), by id: memory only, a second time is harmless. */
  handedOver: Map<string, number>
}

/**
 * The Treasury only reads the chain, so a node's refusal (a block it has not got yet, a limit of its own) says as
 * little about the money as no answer at all.
 */
export const isNodeTrouble = (error: unknown): boolean => error instanceof RpcUnavailable || error instanceof RpcError

/** The newest block, read again when the last reading is older than 10 s. Throws RpcUnavailable. */
export async function freshHead(ctx: Context, chainId: ChainId, maxAgeMs = headFreshMs): Promise<Block> {
  const known = ctx.heads.get(chainId)
  if (known && ctx.now() - known.readAt < maxAgeMs) return known.block
  const block = await ctx.chains[chainId].head()
  ctx.heads.set(chainId, { block, readAt: ctx.now() })
  return block
}

/** The last reading if it is fresh, without asking: for code that must not await. */
export function knownHead(ctx: Context, chainId: ChainId): Block | null {
  const known = ctx.heads.get(chainId)
  return known && ctx.now() - known.readAt < headFreshMs ? known.block : null
}

/** `pay_` + time + 80 random bits: sorts by creation, guesses nothing. */
export function newId(ctx: Context, prefix: string): string {
  return `${prefix}_${ctx.now().toString(36).padStart(9, '0')}${bytesToHex(ctx.random(10))}`
}
