import { headFreshMs } from '#domain/intent.ts'
import { notAhead } from '../../chain/clockSkew.ts'
import { type Block, type ChainId, RpcError, RpcUnavailable } from '../../chain/types.ts'
import { type Refused, type Result, refuse } from '../../result.ts'
import type { Context } from './context.ts'
import { inMemory } from './memory.ts'
import type { WalletRow } from './storage/rows.ts'

/** Newest block by chain, and when it was read (ms). */
export const heads = inMemory(() => new Map<ChainId, { block: Block; readAt: number }>())

/** Whether an RPC call failed. The Treasury only reads, so an RPC error says no more about the money than a timeout. */
export const isNodeTrouble = (error: unknown): boolean => error instanceof RpcUnavailable || error instanceof RpcError

export const unreachable: Refused = refuse(
  'upstream_unavailable',
  'The Base network can’t be reached right now. Nothing was sent; please try again.',
)

/** For calls that read the chain before they start anything: turns an RPC failure into a refusal. */
export async function refuseUnreachable<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    if (isNodeTrouble(error)) return unreachable
    throw error
  }
}

/** The newest block, read again once the cached one is `maxAgeMs` old (10 s by default). Throws RpcUnavailable. */
export async function freshHead(ctx: Context, chainId: ChainId, maxAgeMs = headFreshMs): Promise<Block> {
  const known = heads(ctx).get(chainId)
  if (known && ageOf(ctx, known) < maxAgeMs) return known.block
  const block = checked(ctx, await ctx.chains[chainId].head())
  heads(ctx).set(chainId, { block, readAt: ctx.now() })
  return block
}

/** Age in ms. A reading from the future means that the clock went back: its real age is unknown, so the gap counts. */
const ageOf = (ctx: Context, { readAt }: { readAt: number }): number => Math.abs(ctx.now() - readAt)

/** The newest finalized block. Remembers its age, so that finality is checked when it is expected. Throws RpcUnavailable. */
export async function finalizedBlock(ctx: Context, chainId: ChainId): Promise<Block> {
  const { store, now } = ctx
  const block = checked(ctx, await ctx.chains[chainId].finalized())
  const ages = store.meta('final_age') ?? {}
  const age = Math.max(0, now() - block.timestamp * 1000)
  const known = ages[chainId]
  if (known === undefined || Math.abs(age - known) > known / 8) store.setMeta('final_age', { ...ages, [chainId]: age })
  return block
}

/** How old a block is when it becomes final (ms), as last seen; null if it was never seen. */
export const finalAge = ({ store }: Context, chainId: ChainId): number | null =>
  store.meta('final_age')?.[chainId] ?? null

const checked = (ctx: Context, block: Block): Block => notAhead(block, ctx.now(), ctx.env.MAX_CLOCK_SKEW_SECONDS)

/** The newest block that is CONFIRM_DEPTH deep in the chain whose head is `head`. */
export const confirmedBlock = (ctx: Context, head: Block): number => head.number - Number(ctx.env.CONFIRM_DEPTH) + 1

/** The cached head if it is fresh, without asking the node. For code that must not await. */
export function knownHead(ctx: Context, chainId: ChainId): Block | null {
  const known = heads(ctx).get(chainId)
  return known && ageOf(ctx, known) < headFreshMs ? known.block : null
}

/** Chain time (ms), or `now` if no head is known. Expiry uses it because the machine's clock may be off. */
export function chainNow(ctx: Context, wallet: WalletRow, now: number): number {
  const head = heads(ctx).get(wallet.chain_id)
  return head ? head.block.timestamp * 1000 + (now - head.readAt) : now
}
