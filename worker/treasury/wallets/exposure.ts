import { budgetLeft, type Exposure, exposureOf } from '#domain/exposure.ts'
import { type MicroUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import { visibleScopes } from '#domain/scopes.ts'
import type { WalletState } from '../../chain/types.ts'
import type { WalletSnapshot } from '../core/context.ts'
import { escrowedOf } from '../ledger/balances.ts'
import { fromColumn } from '../storage/columns.ts'
import { groupPolicy } from '../storage/groupPolicy.ts'
import type { GroupRow, WalletRow } from '../storage/rows.ts'
import type { Store } from '../storage/store.ts'

/** Computes how much can leave this wallet without its owner, from on-chain figures and our budgets. */
export function walletExposure(store: Store, wallet: WalletRow, snapshot: WalletSnapshot, now: number): Exposure {
  const { state } = snapshot
  const pays = wallet.status === 'active' && wallet.paused === 0 && wallet.halt_kind === null
  return exposureOf({
    balance: microUsdc(snapshot.balance),
    held: fromColumn(wallet.held),
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

/** The amount that the contract would still let the session key move. */
const sessionLeft = (state: WalletState | null): MicroUsdc =>
  state === null || BigInt(state.sessionKey) === 0n || state.validUntil < state.timestamp
    ? zeroUsdc
    : microUsdc(state.remaining)

/** True if the group has an agent that could pay now. */
function canSpend(store: Store, group: GroupRow): boolean {
  const { paused, scopes } = groupPolicy(group, null, false)
  return (
    !paused &&
    !store.accountPaused &&
    scopes.some((scope) => (visibleScopes as readonly string[]).includes(scope)) &&
    store.first('SELECT 1 FROM agent WHERE group_id = ? AND deleted_at IS NULL AND paused = 0', group.id) !== null
  )
}
