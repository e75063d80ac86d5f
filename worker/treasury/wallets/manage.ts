import { formatUsdcText } from '#domain/money.ts'
import { isSlowDeploy } from '#domain/walletRules.ts'
import { plural } from '#domain/words.ts'
import { notFound, ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { pageRows } from '../core/storage/pages.ts'
import type { GroupRow, SessionRow, WalletRow } from '../core/storage/rows.ts'
import { isOpenPayout, statusIn } from '../core/storage/statuses.ts'
import { audit } from '../ledger/audit.ts'
import { recordWalletChange } from '../outbox/changes.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { auditAndReport } from '../outbox/reportedChanges.ts'
import { hasOpenAction } from './actions/actions.ts'
import { cacheKey, openKeys } from './sessionKeys.ts'

/** A null `name` removes the name. */
export function renameWallet(ctx: Context, walletId: string, name: string | null): Result<WalletRow> {
  const { store } = ctx
  return store.transaction((): Result<WalletRow> => {
    const wallet = store.liveWallet(walletId)
    if (!wallet) return notFound('Wallet')
    if (wallet.name === name) return ok(wallet)
    store.run('UPDATE wallet SET name = ? WHERE id = ?', name, walletId)
    recordWalletChange(ctx, walletId)
    audit(store, ctx.now(), 'wallet.renamed', walletId, { name })
    return ok(store.wallet(walletId)!)
  })
}

/**
 * Removes the wallet from the dashboard and destroys every key of it that we hold; its history stays. Refuses, with the
 * reason, while the wallet has open payments, payouts or actions, while policy groups use it, and while money is at the
 * address of a wallet that is not on chain. Deleting a deleted wallet is a no-op. An imported wallet needs the password: its
 * owner may have kept the key nowhere else.
 */
export async function deleteWallet(ctx: Context, walletId: string, passwordChecked = false): Promise<Result<null>> {
  const { store } = ctx
  const before = store.liveWallet(walletId)
  const stranded = before && isMissing(before) ? await strandedMoney(ctx, before) : null
  return store.transaction((): Result<null> => {
    const wallet = store.wallet(walletId)
    if (!wallet) return notFound('Wallet')
    if (wallet.status === 'deleted') return ok(null)
    const problem = missingProblem(ctx, wallet, stranded) ?? openProblem(ctx, wallet)
    if (problem) return refuse('conflict', problem)
    if (wallet.kind === 'imported' && !passwordChecked) return passwordNeeded
    for (const session of store.all<SessionRow>('SELECT * FROM session WHERE wallet_id = ?', walletId))
      openKeys(ctx).delete(cacheKey(session))
    store.run("UPDATE wallet SET status = 'deleted', sealed_key = '' WHERE id = ?", walletId)
    store.run("UPDATE session SET sealed_key = '', current = 0 WHERE wallet_id = ?", walletId)
    store.run('UPDATE wallet_action SET sealed_key = NULL WHERE wallet_id = ?', walletId)
    store.run('DELETE FROM imported_key WHERE wallet_id = ?', walletId)
    recordWalletChange(ctx, walletId)
    auditAndReport(ctx, 'wallet.deleted', walletId, { address: wallet.address })
    if (wallet.halt_kind !== null) enqueue(ctx, 'trouble', walletId)
    return ok(null)
  })
}

const passwordNeeded = refuse(
  'password_required',
  'Enter your password: Bursar’s copy of this wallet’s private key is destroyed, and may be the only one.',
  { field: 'password' },
)

/** True if the chain does not show the wallet yet, or never will. */
const isMissing = ({ status }: WalletRow) => status === 'deploying' || status === 'failed'

/** Micro-USDC at the wallet's address; null if it can't be read. */
const strandedMoney = (ctx: Context, wallet: WalletRow): Promise<bigint | null> =>
  ctx.chains[wallet.chain_id].usdcBalance(wallet.address).catch(() => null)

/**
 * The address can receive money before the wallet exists. That money can only be moved once the wallet is created, which
 * never happens for a deleted one. A pending deployment may still succeed after the deletion; the owner then controls it.
 */
function missingProblem(ctx: Context, wallet: WalletRow, stranded: bigint | null): string | null {
  if (!isMissing(wallet)) return null
  if (wallet.status === 'deploying' && !isSlowDeploy(wallet.created_at, ctx.now()))
    return 'This wallet is still being created. Please try again in a moment.'
  if (stranded === null) return 'The balance at this wallet’s address can’t be read now. Please try again in a moment.'
  if (stranded === 0n) return null
  return `${formatUsdcText(stranded)} USDC is at this wallet’s address and can only be moved once the wallet is created. Bursar keeps trying to create it.`
}

function openProblem(ctx: Context, wallet: WalletRow): string | null {
  const { store } = ctx
  const payments = store.count(`payment WHERE wallet_id = ? AND status IN ${statusIn.unsettled}`, wallet.id)
  if (payments > 0)
    return `${plural(payments, 'payment')} of this wallet ${payments === 1 ? 'is' : 'are'} still in progress. Please try again when nothing is pending.`
  const payouts = store.count(
    `(SELECT 1 FROM payout WHERE wallet_id = ? AND ${isOpenPayout} LIMIT ${pageRows})`,
    wallet.id,
  )
  if (payouts > 0)
    return `This wallet has ${payouts === pageRows ? 'at least ' : ''}${plural(payouts, 'unclaimed payout')}. Reclaim ${payouts === 1 ? 'it' : 'them'} first, or wait until ${payouts === 1 ? 'it is' : 'they are'} claimed.`
  if (hasOpenAction(ctx, wallet.id))
    return 'A change of this wallet’s session key is still in progress. Please try again in a moment.'
  const groups = store.all<GroupRow>(
    'SELECT * FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL ORDER BY created_at',
    wallet.id,
  )
  if (groups.length > 0)
    return `This wallet is used by ${groups.length === 1 ? 'the policy group' : 'the policy groups'} ${groups.map(({ name }) => `“${name}”`).join(', ')}. Delete ${groups.length === 1 ? 'it' : 'them'} first.`
  return null
}
