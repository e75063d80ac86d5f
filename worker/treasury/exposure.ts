import type { Chain, WalletState } from '../chain/types.ts'
import { budgetLeft, type Exposure, exposureOf } from '../domain/exposure.ts'
import { type MicroUsdc, microUsdc, zeroUsdc } from '../domain/money.ts'
import { visibleScopes } from '../domain/scopes.ts'
import type { Context } from './context.ts'
import { escrowedOf, groupPolicy } from './ledger.ts'
import { type GroupRow, type Store, usd, type WalletRow } from './store.ts'

/** A wallet as one look at the chain showed it; `state` is null for imported and undeployed ones. */
export type WalletLook = { balance: bigint; state: WalletState | null }

/** One call where there is a contract to ask. Throws RpcUnavailable. */
export async function lookAt(chain: Chain, wallet: WalletRow): Promise<WalletLook> {
  const state = wallet.kind === 'smart' ? await chain.walletState(wallet.address) : null
  return { balance: state?.balance ?? (await chain.usdcBalance(wallet.address)), state }
}

const freshMs = 2_000 // one block

/**
 * The wallet on chain, in one look shared by all who ask for as long as a block, or until `ctx.looks` forgets it: what
 * the Treasury knows to have changed is not shown as it was. Null when the chain can't be read.
 */
export function lookOf(ctx: Context, wallet: WalletRow): Promise<WalletLook | null> {
  const known = ctx.looks.get(wallet.id)
  if (known && ctx.now() - known.at < freshMs) return known.value
  const value = lookAt(ctx.chains[wallet.chain_id], wallet).catch((error: unknown) => {
    ctx.looks.delete(wallet.id)
    console.error('balance not read', wallet.id, error)
    return null
  })
  ctx.looks.set(wallet.id, { value, at: ctx.now() })
  return value
}

/** Micro-USDC; null when the chain can't be read. */
export const balanceOf = async (ctx: Context, wallet: WalletRow): Promise<bigint | null> =>
  (await lookOf(ctx, wallet))?.balance ?? null

/** What can happen to this wallet's money without its owner: the chain's figures, our budgets. */
export function walletExposure(store: Store, wallet: WalletRow, look: WalletLook, now: number): Exposure {
  const { state } = look
  const pays = wallet.status === 'active' && wallet.paused === 0 && wallet.halted === null
  return exposureOf({
    balance: microUsdc(look.balance),
    held: usd(wallet.held),
    sessionLeft: wallet.kind === 'imported' ? null : sessionLeft(state),
    inPayouts: escrowedOf(store, wallet.id),
    canRenew: state !== null && !state.rotationDisabled && !state.sessionRevoked,
    groups: store
      .all<GroupRow>('SELECT * FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL', wallet.id)
      .map((group) => ({
        left: budgetLeft(groupPolicy(group, null, false), now),
        active: pays && canSpend(store, group),
      })),
  })
}

/** Whoever holds the key: what the contract would still let it move. */
const sessionLeft = (state: WalletState | null): MicroUsdc =>
  state === null || BigInt(state.sessionKey) === 0n || state.validUntil < state.timestamp
    ? zeroUsdc
    : microUsdc(state.remaining)

/** Is there an agent that could pay now? */
function canSpend(store: Store, group: GroupRow): boolean {
  const { paused, scopes } = groupPolicy(group, null, false)
  return (
    !paused &&
    !store.accountPaused &&
    scopes.some((scope) => (visibleScopes as readonly string[]).includes(scope)) &&
    store.first('SELECT 1 FROM agent WHERE group_id = ? AND deleted_at IS NULL AND paused = 0', group.id) !== null
  )
}
