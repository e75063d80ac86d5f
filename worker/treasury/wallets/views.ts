import { budgetLeft } from '#domain/budgetLeft.ts'
import { type Exposure, exposureOf, type WalletPower } from '#domain/exposure.ts'
import { formatUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { payScopes } from '#domain/scopes.ts'
import { allowanceInMicro } from '#domain/sessionKey.ts'
import { spendableOf } from '#domain/spendable.ts'
import { isoOf } from '#domain/time.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { Wallet, WalletStatus } from '#schemas/wallet.ts'
import type { WalletState } from '../../chain/types.ts'
import { notFound, ok, type Result } from '../../result.ts'
import { chainNow, isNodeTrouble } from '../core/chainHeads.ts'
import type { Context } from '../core/context.ts'
import { formatColumn, fromColumn } from '../core/storage/columns.ts'
import { groupPolicy } from '../core/storage/groupPolicy.ts'
import type { GroupRow, SessionRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { bookedOf, escrowedOf, heldOf, walletFunds } from '../ledger/balances.ts'
import { purchasesLeft } from '../ledger/purchaseNumbers.ts'
import { readWindows } from '../ledger/windows.ts'
import { recentActions } from './actions/actions.ts'
import { operatorKey } from './actions/calls.ts'
import { readBy } from './idleReads.ts'
import { readSession } from './session.ts'
import type { WalletSnapshot } from './snapshots.ts'
import { getSnapshot } from './snapshots.ts'

const freshEnoughMs = 2_000 // one block

/** All wallets that are not deleted, newest first, with their current state on chain. */
export async function listWallets(ctx: Context): Promise<Wallet[]> {
  const rows = ctx.store.all<WalletRow>("SELECT * FROM wallet WHERE status <> 'deleted' ORDER BY created_at DESC")
  return Promise.all(rows.map((row) => showWallet(ctx, row)))
}

/** Returns the view of a wallet from its current state on chain and its row, which is updated first if they disagree. */
export async function showWallet(ctx: Context, row: WalletRow): Promise<Wallet> {
  const snapshot = await getSnapshot(ctx, row)
  // Otherwise an old deposit could still be shown as arriving: books are updated often only while payments are open.
  if (row.status === 'active' && snapshot && snapshot.balance !== bookedOf(ctx.store.wallet(row.id) ?? row))
    await ctx.chainReads.refresh(row, freshEnoughMs)
  // Money at its address is a reason to deploy it after all.
  else if (row.status === 'failed' && snapshot && snapshot.balance > 0n) readBy(ctx, row.id, ctx.now())
  return walletView(ctx, ctx.store.wallet(row.id) ?? row, snapshot)
}

/** The wallet as /wallets shows it. `snapshot` is its state on chain, null if it can't be read. */
export function walletView(ctx: Context, wallet: WalletRow, snapshot: WalletSnapshot | null): Wallet {
  const { store, now } = ctx
  const session = store.session(wallet.id)
  const group = store.first<{ id: string }>(
    'SELECT id FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL ORDER BY created_at LIMIT 1',
    wallet.id,
  )
  return {
    id: wallet.id,
    name: wallet.name,
    address: wallet.address,
    chain: chainNameOf(wallet.chain_id),
    walletType: wallet.kind,
    status: wallet.status as WalletStatus, // deleted wallets are never shown
    paused: wallet.paused === 1,
    halted: wallet.halt_kind,
    usdcBalance: snapshot && { balance: formatUsdc(snapshot.balance), symbol: 'USDC' },
    policyGroupId: group?.id ?? null,
    ownerAddress: wallet.owner,
    factory: wallet.factory,
    contractSet: wallet.kind === 'smart' ? wallet.contract_set : null,
    salt: wallet.salt,
    sessionKeyAddress: checksumAddress(session?.key_address ?? wallet.session_key),
    spendingLimit: String(wallet.session_limit),
    purchaseAllowance: wallet.purchase_allowance,
    validUntil: wallet.valid_until,
    deploymentTxHash: wallet.deploy_tx,
    deployProblem: wallet.status === 'active' ? null : wallet.error,
    held: formatColumn(wallet.held),
    escrowed: formatUsdc(escrowedOf(store, wallet.id)),
    exposure: snapshot && exposureView(walletExposure(store, wallet, snapshot, now())),
    spendable: snapshot && spendableView(ctx, wallet, session, snapshot),
    createdAt: isoOf(wallet.created_at),
  }
}

const exposureView = ({ canLeave, canSend, agents, canRenew }: Exposure): Wallet['exposure'] => ({
  canLeave: formatUsdc(canLeave),
  canSend: formatUsdc(canSend),
  agents: formatUsdc(agents),
  canRenew,
})

function spendableView(
  ctx: Context,
  wallet: WalletRow,
  session: SessionRow | null,
  snapshot: WalletSnapshot,
): Wallet['spendable'] {
  const at = chainNow(ctx, wallet, ctx.now())
  const { now, limitedBy, arriving } = spendableOf(
    walletFunds(ctx.store, wallet, session),
    bookedOf(wallet),
    microUsdc(snapshot.balance),
    at,
  )
  return { now: formatUsdc(now), limitedBy, arriving: formatUsdc(arriving) }
}

/** Computes how much can leave this wallet without its owner, from on-chain figures and our budgets. */
function walletExposure(store: Store, wallet: WalletRow, snapshot: WalletSnapshot, now: number): Exposure {
  const { state } = snapshot
  const pays = wallet.status === 'active' && wallet.paused === 0 && wallet.halt_kind === null
  return exposureOf({
    balance: microUsdc(snapshot.balance),
    held: fromColumn(wallet.held),
    ...(wallet.kind === 'imported' ? { sendsLeft: null, purchasesLeft: zeroUsdc } : sessionLeft(store, wallet, state)),
    inPayouts: escrowedOf(store, wallet.id),
    canRenew: state !== null && !state.rotationDisabled && !state.sessionRevoked,
    groups: store
      .all<GroupRow>('SELECT * FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL', wallet.id)
      .map((group) => {
        const policy = groupPolicy(group, null, false)
        const { used } = readWindows(store, group, policy.rules, null, now)
        return { left: budgetLeft(policy, now, used), active: pays && canSpend(store, group) }
      }),
  })
}

/**
 * The most that the contract would still let the session key move. It does not know what purchases have used, so of a session of
 * ours the books say it.
 */
const sessionLeft = (
  store: Store,
  { id }: WalletRow,
  state: WalletState | null,
): Pick<WalletPower, 'sendsLeft' | 'purchasesLeft'> => {
  const session = store.session(id)
  const isOurs = session !== null && session.epoch === state?.epoch
  return state === null || BigInt(state.sessionKey) === 0n || state.validUntil < state.timestamp
    ? { sendsLeft: zeroUsdc, purchasesLeft: zeroUsdc }
    : {
        sendsLeft: microUsdc(state.remaining),
        purchasesLeft: isOurs ? purchasesLeft(store, session) : allowanceInMicro(state.purchaseAllowance),
      }
}

/** True if the group has an agent that could pay now. */
function canSpend(store: Store, group: GroupRow): boolean {
  const { paused, scopes } = groupPolicy(group, null, false)
  return (
    !paused &&
    !store.accountPaused &&
    scopes.some((scope) => (payScopes as readonly string[]).includes(scope)) &&
    store.first('SELECT 1 FROM agent WHERE group_id = ? AND deleted_at IS NULL AND paused = 0', group.id) !== null
  )
}

/** In micro-USDC, for sends and purchases. */
const wholeLimitOf = ({ spend_limit, purchase_allowance }: SessionRow): bigint =>
  fromColumn(spend_limit) + allowanceInMicro(purchase_allowance)

/** The session according to ledger and chain; according to the ledger alone if no node responds. */
export async function sessionKeyInfo(ctx: Context, walletId: string): Promise<Result<SessionKeyInfo>> {
  const { store } = ctx
  const wallet = store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  let state: WalletState | null = null
  try {
    state = wallet.status === 'active' ? ((await readSession(ctx, wallet))?.latest ?? null) : null
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
  }
  const current = store.session(walletId)
  const session = current ?? store.lastSession(walletId)
  const validUntil = session?.valid_until ?? wallet.valid_until
  const isExpired = validUntil * 1000 < (state ? state.timestamp * 1000 : ctx.now())
  const rotationDisabled = state?.rotationDisabled ?? false
  const sessionRevoked = state?.sessionRevoked ?? false
  return ok({
    address: session?.key_address ?? wallet.session_key,
    spendingLimit: String(session ? wholeLimitOf(session) : wallet.session_limit),
    purchaseAllowance: (session ?? wallet).purchase_allowance,
    spentAmount: String(session?.used ?? 0),
    heldAmount: String(session ? heldOf(store, session) : 0),
    validUntil,
    isExpired,
    isActive: current !== null && !isExpired,
    canRotate: operatorKey(ctx) !== null && !rotationDisabled && !sessionRevoked,
    nonce: session?.epoch ?? 0,
    rotationDisabled,
    sessionRevoked,
    actions: recentActions(ctx, walletId),
  })
}
