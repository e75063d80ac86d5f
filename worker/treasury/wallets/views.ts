import type { Exposure } from '#domain/exposure.ts'
import { formatUsdc, microUsdc } from '#domain/money.ts'
import { chainNameOf } from '#domain/networks.ts'
import { spendableOf } from '#domain/spendable.ts'
import { isoOf } from '#domain/time.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { Wallet, WalletStatus } from '#schemas/wallet.ts'
import { chainNow } from '../core/chainHeads.ts'
import type { Context, WalletSnapshot } from '../core/context.ts'
import { bookedOf, escrowedOf, walletFunds } from '../ledger/balances.ts'
import type { SessionRow, WalletRow } from '../storage/rows.ts'
import { walletExposure } from './exposure.ts'

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
    validUntil: wallet.valid_until,
    deploymentTxHash: wallet.deploy_tx,
    deployProblem: wallet.status === 'active' ? null : wallet.error,
    held: formatUsdc(BigInt(wallet.held)),
    escrowed: formatUsdc(escrowedOf(store, wallet.id)),
    exposure: snapshot && exposureView(walletExposure(store, wallet, snapshot, now())),
    spendable: snapshot && spendableView(ctx, wallet, session, snapshot),
    createdAt: isoOf(wallet.created_at),
  }
}

const exposureView = ({ canLeave, agents, canRenew }: Exposure): Wallet['exposure'] => ({
  canLeave: formatUsdc(canLeave),
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
    walletFunds(wallet, session),
    bookedOf(wallet),
    microUsdc(snapshot.balance),
    at,
  )
  return { now: formatUsdc(now), limitedBy, arriving: formatUsdc(arriving) }
}
