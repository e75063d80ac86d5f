import { formatUsdc } from '#domain/money.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import type { Address, WalletState } from '../../chain/types.ts'
import { confirmedBlock, freshHead } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { inMemory } from '../core/memory.ts'
import { toColumn } from '../core/storage/columns.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { scheduleWarnings } from './endingKeys.ts'
import { cacheKey, checkPlainKey, openKeys } from './sessionKeys.ts'
import { forgetSnapshot } from './snapshots.ts'

/** By wallet: the block of the newest state that set its session, so that a slower, older reading does not replace it. */
const adoptedBlocks = inMemory(() => new Map<string, number>())
/** By wallet: how often its bookings were undone. What was read before that may be from the branch that was removed. */
export const undos = inMemory(() => new Map<string, number>())

/** A wallet's state at the newest block and at CONFIRM_DEPTH; `confirmed` is null if it was not deployed there yet. */
export type SessionReading = { latest: WalletState; confirmed: WalletState | null }

/**
 * Reads the session from the chain. At CONFIRM_DEPTH a key of ours under a new epoch is adopted, and a foreign key means no
 * session; a reorganization may still undo newer state. Returns null if the wallet has no contract. Throws RpcUnavailable.
 */
export async function readSession(ctx: Context, wallet: WalletRow): Promise<SessionReading | null> {
  if (wallet.kind === 'imported') {
    await checkPlainKey(ctx, wallet)
    return null
  }
  const before = undos(ctx).get(wallet.id)
  const reading = await readStates(ctx, wallet)
  if (reading === null) {
    await recordMissing(ctx, wallet)
    return null
  }
  const { confirmed } = reading
  if (confirmed && undos(ctx).get(wallet.id) === before) ctx.store.transaction(() => adopt(ctx, wallet, confirmed))
  return reading
}

async function readStates(ctx: Context, wallet: WalletRow): Promise<SessionReading | null> {
  const chain = ctx.chains[wallet.chain_id]
  const depth = Number(ctx.env.CONFIRM_DEPTH)
  if (depth <= 1) {
    const latest = await chain.walletState(wallet.address)
    return latest && { latest, confirmed: latest }
  }
  const block = confirmedBlock(ctx, await freshHead(ctx, wallet.chain_id))
  const [latest, confirmed] = await Promise.all([
    chain.walletState(wallet.address),
    chain.walletState(wallet.address, block),
  ])
  return latest && { latest, confirmed }
}

/** The wallet's state at CONFIRM_DEPTH; null if it is not deployed there. */
export async function confirmedState(ctx: Context, wallet: WalletRow): Promise<WalletState | null> {
  return (await readStates(ctx, wallet))?.confirmed ?? null
}

/**
 * Handles an active wallet that has no contract on chain: a reorganization removed its deployment, so it is submitted
 * again. A lagging node proves nothing, so the contract must be missing at or after the block that showed it.
 */
async function recordMissing(ctx: Context, wallet: WalletRow): Promise<void> {
  const { store } = ctx
  const activeAt = store.wallet(wallet.id)?.active_block ?? null
  if (wallet.status !== 'active' || activeAt === null) return
  const head = await freshHead(ctx, wallet.chain_id, 0)
  if (head.number < activeAt || (await ctx.chains[wallet.chain_id].walletState(wallet.address, head.number))) return
  store.transaction(() => {
    if (store.run("UPDATE wallet SET status = 'deploying' WHERE id = ? AND status = 'active'", wallet.id) === 0) return
    forgetSnapshot(ctx, wallet.id)
    audit(store, ctx.now(), 'wallet.deploy_removed', wallet.id, { block: head.number })
    ctx.schedule('settle', ctx.now())
  })
}

/** The sealed key of this address: the wallet's first, or that of a later session. Null if not ours, or if destroyed. */
function sealedKeyOf(ctx: Context, wallet: WalletRow, address: Address): string | null {
  if (sameAddress(address, wallet.session_key)) return wallet.sealed_key || null
  const made = ctx.store.first<{ sealed_key: string | null }>(
    'SELECT sealed_key FROM wallet_action WHERE wallet_id = ? AND key_address = ? COLLATE NOCASE',
    wallet.id,
    address,
  )
  return made?.sealed_key ?? null
}

/**
 * Deactivates sessions that were adopted from blocks that are not final, until the chain shows them again; nothing is
 * signed meanwhile. Their rows stay, because their nonces were used. Call inside a transaction.
 */
export function undoSessions(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  const session = store.session(wallet.id)
  if (session) openKeys(ctx).delete(cacheKey(session))
  adoptedBlocks(ctx).delete(wallet.id)
  undos(ctx).set(wallet.id, (undos(ctx).get(wallet.id) ?? 0) + 1)
  const undone = store.run(
    'UPDATE session SET undone = 1, adopted_block = NULL WHERE wallet_id = ? AND adopted_block > ?',
    wallet.id,
    wallet.final_block,
  )
  if (undone === 0) return
  store.run('UPDATE session SET current = 0 WHERE wallet_id = ?', wallet.id)
  audit(store, ctx.now(), 'session.undone', wallet.id, { finalBlock: wallet.final_block })
}

/** Takes the session from a confirmed state, unless a newer one was read meanwhile. Call inside a transaction. */
export function adopt(ctx: Context, { id }: Pick<WalletRow, 'id'>, state: WalletState): void {
  const { store } = ctx
  // The wallet may have been deleted while the chain was being read: its keys stay destroyed.
  const wallet = store.liveWallet(id)
  if (!wallet || state.blockNumber < (adoptedBlocks(ctx).get(id) ?? 0)) return
  adoptedBlocks(ctx).set(id, state.blockNumber)
  const session = store.session(wallet.id)
  if (session?.epoch === state.epoch && sameAddress(session.key_address, state.sessionKey)) return
  if (session && session.epoch > state.epoch) return
  forgetSnapshot(ctx, wallet.id)
  if (session) openKeys(ctx).delete(cacheKey(session))
  store.run('UPDATE session SET current = 0 WHERE wallet_id = ?', wallet.id)
  const sealedKey = sealedKeyOf(ctx, wallet, state.sessionKey)
  if (sealedKey === null) {
    if (session) audit(store, ctx.now(), 'session.ended', wallet.id, { epoch: state.epoch, key: state.sessionKey })
    return
  }
  const limit = state.remaining
  store.insert(
    'session',
    {
      wallet_id: wallet.id,
      epoch: state.epoch,
      key_address: state.sessionKey,
      sealed_key: sealedKey,
      spend_limit: toColumn(limit),
      purchase_allowance: state.purchaseAllowance,
      valid_until: state.validUntil,
      current: 1,
      adopted_block: state.blockNumber,
      adopted_at: ctx.now(),
    },
    // The epoch was adopted before, and a reorganization undid it or replaced its key. Sequences continue. The remaining
    // limit on chain may already exclude payments that are only read again later, so the same key keeps its limit.
    `ON CONFLICT (wallet_id, epoch) DO UPDATE SET current = 1, undone = 0, key_address = excluded.key_address,
       sealed_key = excluded.sealed_key, valid_until = excluded.valid_until, adopted_block = excluded.adopted_block,
       purchase_allowance = excluded.purchase_allowance,
       spend_limit = CASE WHEN session.key_address = excluded.key_address COLLATE NOCASE THEN session.spend_limit
         ELSE excluded.spend_limit + session.used END`,
  )
  scheduleWarnings(ctx, store.session(wallet.id)!)
  const { epoch, purchaseAllowance } = state
  audit(store, ctx.now(), 'session.adopted', wallet.id, { epoch, limit: formatUsdc(limit), purchaseAllowance })
}
