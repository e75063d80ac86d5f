import { walletAddress } from '../chain/addresses.ts'
import { addressOf } from '../chain/sign.ts'
import type { Address, Hex, WalletState } from '../chain/types.ts'
import type { Exposure } from '../domain/exposure.ts'
import { formatUsdc, microUsdc } from '../domain/money.ts'
import { checksumAddress } from '../domain/validators.ts'
import type { Result } from '../errors.ts'
import type { Wallet, WalletStatus } from '../schemas/wallet.ts'
import { audit } from './audit.ts'
import { type Context, freshHead, newId } from './context.ts'
import { type WalletLook, walletExposure } from './exposure.ts'
import { earlier, fingerprintOf, keyOf, remember, reusedKey } from './idempotency.ts'
import { checkPlainKey, hasCode } from './importedWallets.ts'
import { availableOf, escrowedOf, spentOf } from './ledger.ts'
import { hexOf } from './seal.ts'
import { sessionKeyBinding } from './sign.ts'
import { column, type Store, type WalletRow } from './store.ts'
import type { DeployInput, LedgerView } from './types.ts'

/** The first session of a deploy: 1,000 USDC for 720 hours (decisions.md 19). */
const firstLimit = microUsdc(1_000_000_000n)
const firstSeconds = 720 * 3600
/** decisions.md 17; counted per UTC month. */
export const maxActiveWallets = 6
export const maxWalletsPerMonth = 10

/**
 * Make the session key, fix the address and write the row; the Relayer deploys. A repeat of the same key finds the
 * same wallet, so a lost answer never makes two. Throws RpcUnavailable: validity comes from chain time.
 */
export async function deployWallet(ctx: Context, input: DeployInput): Promise<Result<WalletRow>> {
  const { store } = ctx
  const hash = input.key === null ? null : keyOf({ type: 'user' }, input.key)
  const fingerprint = fingerprintOf([input.owner, input.chainId, input.name])
  const again = (): Result<WalletRow> | null => {
    const known = hash === null ? null : earlier(store, hash, fingerprint)
    if (known === 'reused') return reusedKey
    return known && { ok: true, value: store.wallet(known.ref)! }
  }
  const before = again()
  if (before) return before

  const head = await freshHead(ctx, input.chainId)
  const chain = ctx.chains[input.chainId]
  const id = newId(ctx, 'wal')
  const sessionKey: Hex = `0x${hexOf(ctx.random(32))}`
  const parameters = {
    owner: input.owner,
    salt: `0x${hexOf(ctx.random(32))}` as Hex,
    sessionKey: addressOf(sessionKey),
    limit: firstLimit as bigint,
    validUntil: head.timestamp + firstSeconds,
  }
  const address = walletAddress(chain.contracts, parameters)
  const sealed = await ctx.sealer.seal(sessionKey, sessionKeyBinding(ctx, id))
  const ownerCode = await chain.code(input.owner)
  if (ownerCode !== '0x')
    return {
      ok: false,
      code: 'invalid_input',
      message: 'The owner must be a key, not a contract.',
      field: 'ownerAddress',
    }

  return store.transaction((): Result<WalletRow> => {
    const meanwhile = again()
    if (meanwhile) return meanwhile
    const over = overLimit(ctx)
    if (over) return { ok: false, code: 'unprocessable', message: over }
    const now = ctx.now()
    store.run(
      `INSERT INTO wallet (id, chain_id, kind, address, owner, name, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at)
       VALUES (?, ?, 'smart', ?, ?, ?, 'deploying', ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      input.chainId,
      address,
      input.owner,
      input.name,
      chain.contracts.factory,
      parameters.salt,
      parameters.sessionKey,
      sealed,
      column(firstLimit),
      parameters.validUntil,
      head.number,
      now,
    )
    if (hash !== null) remember(store, hash, fingerprint, 'wallet', id, now)
    audit(store, now, 'wallet.created', id, {
      address,
      owner: input.owner,
      sessionKey: parameters.sessionKey,
      limit: formatUsdc(firstLimit),
    })
    ctx.wake('settle', now + 300)
    return { ok: true, value: store.wallet(id)! }
  })
}

/** Both limits, imported wallets included; a deleted one frees its active place, not its month's. */
export function overLimit(ctx: Context): string | null {
  const now = new Date(ctx.now())
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const count = ctx.store.first<{ active: number; month: number }>(
    "SELECT sum(status IN ('deploying','active')) AS active, sum(created_at >= ?) AS month FROM wallet",
    monthStart,
  )!
  if ((count.active ?? 0) >= maxActiveWallets)
    return `You have reached the maximum of ${maxActiveWallets} active wallets.`
  if ((count.month ?? 0) >= maxWalletsPerMonth)
    return `You have reached the monthly wallet creation limit of ${maxWalletsPerMonth}.`
  return null
}

/** Active as soon as the chain shows the wallet with our session key; the epoch is the chain's. */
export async function followDeploy(ctx: Context, wallet: WalletRow): Promise<void> {
  const state = await ctx.chains[wallet.chain_id].walletState(wallet.address)
  if (!state) {
    const head = await freshHead(ctx, wallet.chain_id)
    if (head.timestamp > wallet.valid_until) failDeploy(ctx, wallet)
    return
  }
  ctx.store.transaction(() => {
    if (ctx.store.run("UPDATE wallet SET status = 'active' WHERE id = ? AND status = 'deploying'", wallet.id) === 0)
      return
    audit(ctx.store, ctx.now(), 'wallet.active', wallet.id, { epoch: state.epoch })
    adopt(ctx, wallet, state)
    ctx.wake('scan', ctx.now() + scanEveryMs)
  })
}

function failDeploy(ctx: Context, wallet: WalletRow): void {
  ctx.store.transaction(() => {
    if (
      ctx.store.run(
        "UPDATE wallet SET status = 'failed', error = ? WHERE id = ? AND status = 'deploying'",
        'The wallet could not be deployed in time.',
        wallet.id,
      ) > 0
    )
      audit(ctx.store, ctx.now(), 'wallet.failed', wallet.id)
  })
}

/** Idle wallets are looked at this often, for deposits, withdrawals by their owners and payouts settled without us. */
export const scanEveryMs = 10 * 60_000 // 10 minutes

/** What the chain says of the session: not ours = no session; ours under a new epoch = adopted. */
export async function readSession(ctx: Context, wallet: WalletRow): Promise<WalletState | null> {
  if (wallet.kind === 'imported') {
    await checkPlainKey(ctx, wallet)
    return null
  }
  const state = await ctx.chains[wallet.chain_id].walletState(wallet.address)
  if (state) ctx.store.transaction(() => adopt(ctx, wallet, state))
  return state
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The key that we made for this wallet under this address: the first one, or a later rotation's. Null: not ours. */
function sealedKeyOf(ctx: Context, wallet: WalletRow, address: Address): string | null {
  if (same(address, wallet.session_key)) return wallet.sealed_key
  const made = ctx.store.first<{ sealed_key: string | null }>(
    'SELECT sealed_key FROM wallet_action WHERE wallet_id = ? AND key_address = ? COLLATE NOCASE',
    wallet.id,
    address,
  )
  return made?.sealed_key ?? null
}

const mostInColumn = BigInt(Number.MAX_SAFE_INTEGER)

function adopt(ctx: Context, wallet: WalletRow, state: WalletState): void {
  const { store } = ctx
  // Deleted while the chain was asked: its keys stay destroyed.
  if (!store.liveWallet(wallet.id)) return
  const session = store.session(wallet.id)
  if (session?.epoch === state.epoch && same(session.key_address, state.sessionKey)) return
  if (session && session.epoch > state.epoch) return
  ctx.looks.delete(wallet.id)
  store.run('UPDATE session SET current = 0 WHERE wallet_id = ?', wallet.id)
  const sealedKey = sealedKeyOf(ctx, wallet, state.sessionKey)
  if (sealedKey === null) {
    if (session) audit(store, ctx.now(), 'session.ended', wallet.id, { epoch: state.epoch, key: state.sessionKey })
    return
  }
  // "No limit" is uint64's largest to an owner; more than a column holds is more USDC than there is.
  const limit = state.remaining > mostInColumn ? mostInColumn : state.remaining
  store.run(
    `INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, next_sequence, current) VALUES (?, ?, ?, ?, ?, ?, 0, 1)
     ON CONFLICT (wallet_id, epoch) DO UPDATE SET current = 1`,
    wallet.id,
    state.epoch,
    state.sessionKey,
    sealedKey,
    column(limit),
    state.validUntil,
  )
  audit(store, ctx.now(), 'session.adopted', wallet.id, { epoch: state.epoch, limit: formatUsdc(limit) })
}

export const chainName = (chainId: number): 'base' | 'base-sepolia' => (chainId === 8453 ? 'base' : 'base-sepolia')

/** The wallet as /wallets shows it; `look` is the chain's word, null when it can't be read. */
export function walletView({ store, now }: Context, wallet: WalletRow, look: WalletLook | null): Wallet {
  const session = store.session(wallet.id)
  const group = store.first<{ id: string }>(
    'SELECT id FROM policy_group WHERE wallet_id = ? AND deleted_at IS NULL ORDER BY created_at LIMIT 1',
    wallet.id,
  )
  return {
    id: wallet.id,
    name: wallet.name,
    address: wallet.address,
    chain: chainName(wallet.chain_id),
    walletType: wallet.kind,
    status: wallet.status as WalletStatus, // deleted ones are never shown
    paused: wallet.paused === 1,
    halted: wallet.halted === null ? null : wallet.halted === hasCode ? 'code' : 'books',
    usdcBalance: look && { balance: formatUsdc(look.balance), symbol: 'USDC' },
    policyGroupId: group?.id ?? null,
    ownerAddress: wallet.owner,
    factory: wallet.factory,
    salt: wallet.salt,
    sessionKeyAddress: checksumAddress(session?.key_address ?? wallet.session_key),
    spendingLimit: String(wallet.session_limit),
    validUntil: wallet.valid_until,
    deploymentTxHash: wallet.deploy_tx,
    held: formatUsdc(BigInt(wallet.held)),
    escrowed: formatUsdc(escrowedOf(store, wallet.id)),
    exposure: look && exposureView(walletExposure(store, wallet, look, now())),
    createdAt: new Date(wallet.created_at).toISOString(),
  }
}

const exposureView = ({ canLeave, agents, canRenew }: Exposure): Wallet['exposure'] => ({
  canLeave: formatUsdc(canLeave),
  agents: formatUsdc(agents),
  canRenew,
})

export function ledgerView(store: Store, wallet: WalletRow, balance: bigint | null): LedgerView {
  return {
    walletId: wallet.id,
    address: wallet.address as Address,
    deposits: formatUsdc(BigInt(wallet.deposits)),
    returns: formatUsdc(BigInt(wallet.returns)),
    out: formatUsdc(BigInt(wallet.out)),
    withdrawn: formatUsdc(BigInt(wallet.withdrawn)),
    held: formatUsdc(BigInt(wallet.held)),
    available: formatUsdc(availableOf(wallet)),
    escrowed: formatUsdc(escrowedOf(store, wallet.id)),
    spent: formatUsdc(spentOf(store, wallet.id)),
    chainBalance: balance === null ? null : formatUsdc(balance),
    scannedBlock: wallet.scanned_block,
  }
}
