import { usdcDomainSeparator } from '../chain/authorization.ts'
import { addressOf } from '../chain/sign.ts'
import type { Address, ChainId, Hex } from '../chain/types.ts'
import { attemptAllowed, recordWrong } from '../domain/attempts.ts'
import type { Refused, Result } from '../errors.ts'
import { audit } from './audit.ts'
import { type Context, freshHead, newId } from './context.ts'
import { earlier, fingerprintOf, keyOf, remember, reusedKey } from './idempotency.ts'
import { openUnderPassword, sealUnderPassword } from './masterPassword.ts'
import { column, type WalletRow } from './store.ts'
import { overLimit, scanEveryMs } from './wallets.ts'

/**
 * Wallets that are plain keys. The key is kept sealed twice: for signing payments within policies under the
 * key-encryption key, for viewing under the master password as well (decisions.md 15). Its payments run through the
 * same reservation, signing and settling as a smart wallet's, with EIP-3009 authorizations in place of sends; the one
 * session it has never ends and is as large as a column.
 */
export type ImportInput = {
  key: string | null
  name: string | null
  address: Address
  chainId: ChainId
  policyGroupId: string | null
  privateKey: Hex
  masterPassword: string
}

export const importedKeyBinding = (ctx: Context, walletId: string) => `${ctx.userId}|imported key|${walletId}`
const viewBinding = (ctx: Context, walletId: string) => `${ctx.userId}|imported key for viewing|${walletId}`

const onlyEpoch = 1
const noLimit = column(BigInt(Number.MAX_SAFE_INTEGER))
const noEnd = 253_402_300_799 // the last second of the year 9999
const nowhere: Address = `0x${'0'.repeat(40)}`
const nothing: Hex = `0x${'0'.repeat(64)}`

const wrong = (field: string, message: string): Refused => ({ ok: false, code: 'invalid_input', message, field })

/** Throws RpcUnavailable: balance and code are read first. */
export async function importWallet(ctx: Context, input: ImportInput): Promise<Result<WalletRow>> {
  const { store } = ctx
  if (!belongsTo(input.privateKey, input.address))
    return wrong('privateKey', 'This private key does not belong to the wallet address.')
  const hash = input.key === null ? null : keyOf({ type: 'user' }, input.key)
  const fingerprint = fingerprintOf(['import', input.address, input.chainId, input.name, input.policyGroupId])
  const again = (): Result<WalletRow> | null => {
    const known = hash === null ? null : earlier(store, hash, fingerprint)
    if (known === 'reused') return reusedKey
    return known && { ok: true, value: store.wallet(known.ref)! }
  }
  const before = again() ?? refusal(ctx, input)
  if (before) return underSamePassword(ctx, input, before)

  const chain = ctx.chains[input.chainId]
  const head = await freshHead(ctx, input.chainId, 0)
  // As deep as everything else that is booked.
  const block = Math.max(0, head.number - Number(ctx.env.CONFIRM_DEPTH) + 1)
  const [code, separator, balance] = await Promise.all([
    chain.code(input.address),
    usdcDomainSeparator(chain),
    chain.usdcBalance(input.address, block),
  ])
  if (code !== '0x')
    return wrong('address', 'This account has contract code. Only plain accounts with a private key can be added.')
  if (separator === null) throw new Error(`USDC of chain ${input.chainId} has an unknown EIP-712 domain`)
  const id = newId(ctx, 'wal')
  const sealed = await ctx.sealer.seal(input.privateKey, importedKeyBinding(ctx, id))
  const underPassword = await sealUnderPassword(input.privateKey, input.masterPassword)
  const sealedView = await ctx.sealer.seal(underPassword, viewBinding(ctx, id))

  const added = store.transaction((): Result<WalletRow> => {
    const meanwhile = again() ?? refusal(ctx, input)
    if (meanwhile) return meanwhile
    const now = ctx.now()
    store.run(
      `INSERT INTO wallet (id, chain_id, kind, address, owner, name, status, factory, salt, session_key, sealed_key, session_limit, valid_until, deposits, scanned_block, created_at)
       VALUES (?, ?, 'imported', ?, ?, ?, 'active', ?, ?, ?, '', 0, 0, ?, ?, ?)`,
      id,
      input.chainId,
      input.address,
      input.address,
      input.name,
      nowhere,
      nothing,
      input.address,
      column(balance),
      block,
      now,
    )
    store.run(
      'INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, next_sequence, current) VALUES (?, ?, ?, ?, ?, ?, 0, 1)',
      id,
      onlyEpoch,
      input.address,
      sealed,
      noLimit,
      noEnd,
    )
    store.run(
      'INSERT INTO imported_key (wallet_id, sealed_view, domain_separator) VALUES (?, ?, ?)',
      id,
      sealedView,
      separator,
    )
    if (hash !== null) remember(store, hash, fingerprint, 'wallet', id, now)
    audit(store, now, 'wallet.imported', id, { address: input.address, chainId: input.chainId })
    ctx.plainKeys.set(id, now)
    ctx.wake('scan', now + scanEveryMs)
    return { ok: true, value: store.wallet(id)! }
  })
  return added.ok && added.value.id === id ? added : underSamePassword(ctx, input, added)
}

/**
 * A repeat with another master password is another request: whoever is answered "added" will view the key with it. The
 * password is no part of the stored fingerprint, where it could be guessed faster than at its seal; the seal is tried
 * instead. Who gets here has shown the private key, so a right guess tells nothing more.
 */
async function underSamePassword(
  ctx: Context,
  input: ImportInput,
  known: Result<WalletRow>,
): Promise<Result<WalletRow>> {
  const row = known.ok ? ctx.store.importedKey(known.value.id) : null
  if (!known.ok || !row) return known
  const underPassword = await ctx.sealer.open(row.sealed_view, viewBinding(ctx, known.value.id))
  return (await openUnderPassword(underPassword, input.masterPassword)) === null ? reusedKey : known
}

function belongsTo(privateKey: Hex, address: Address): boolean {
  try {
    return addressOf(privateKey).toLowerCase() === address.toLowerCase()
  } catch {
    return false // zero, or not below the curve's order
  }
}

function refusal(ctx: Context, input: ImportInput): Refused | null {
  const { store } = ctx
  const known = store.first(
    "SELECT 1 FROM wallet WHERE chain_id = ? AND address = ? AND status <> 'deleted'",
    input.chainId,
    input.address,
  )
  if (known)
    return { ok: false, code: 'conflict', message: 'This wallet is already in your account.', field: 'address' }
  const over = overLimit(ctx)
  if (over) return { ok: false, code: 'unprocessable', message: over }
  if (input.policyGroupId === null) return null
  if (!store.group(input.policyGroupId))
    return { ok: false, code: 'not_found', message: 'Policy group not found.', field: 'policyGroupId' }
  // A group gets its wallet when it is made, so there is none to attach.
  return {
    ok: false,
    code: 'conflict',
    message: 'This policy group already has a wallet. Wallet cannot be changed after creation.',
    field: 'policyGroupId',
  }
}

/** How long a look at the account's code is trusted: EIP-7702 lets a key get code at any time. */
const plainForMs = 30_000 // 30 seconds
export const hasCode = 'the account has contract code'

/** Seen without code a moment ago: USDC then checks the key's own signature, and nothing else can answer for it. */
export const isPlainKey = (ctx: Context, wallet: WalletRow): boolean =>
  ctx.now() - (ctx.plainKeys.get(wallet.id) ?? 0) < plainForMs

/** Nothing is signed for an account while it has code. Throws RpcUnavailable. */
export async function checkPlainKey(ctx: Context, wallet: WalletRow): Promise<void> {
  const code = await ctx.chains[wallet.chain_id].code(wallet.address)
  ctx.store.transaction(() => {
    const [now, was] = code === '0x' ? [null, hasCode] : [hasCode, null]
    if (code === '0x') ctx.plainKeys.set(wallet.id, ctx.now())
    else ctx.plainKeys.delete(wallet.id)
    const changed = ctx.store.run('UPDATE wallet SET halted = ? WHERE id = ? AND halted IS ?', now, wallet.id, was)
    if (changed > 0)
      audit(ctx.store, ctx.now(), now ? 'wallet.halted' : 'wallet.resumed', wallet.id, { reason: hasCode })
  })
}

/**
 * The private key, for whoever knows the master password. A try counts before it is looked at and is given back when
 * it was right, so that parallel tries get no more than five looks in fifteen minutes either.
 */
export async function viewPrivateKey(
  ctx: Context,
  walletId: string,
  masterPassword: string,
): Promise<Result<{ privateKey: string }>> {
  const { store } = ctx
  const row = store.liveWallet(walletId) && store.importedKey(walletId)
  if (!row) return { ok: false, code: 'not_found', message: 'Wallet not found.' }
  const refused = store.transaction((): Refused | null => {
    const { tries, locked_until } = store.importedKey(walletId)!
    const attempts = { total: 0, recent: tries, lockedUntil: locked_until }
    const allowed = attemptAllowed(attempts, ctx.now())
    if (!allowed.ok)
      return {
        ok: false,
        code: 'rate_limited',
        message: allowed.message,
        field: 'masterPassword',
        ...(allowed.retryAfter === null ? {} : { retryAfter: allowed.retryAfter }),
      }
    const next = recordWrong(attempts, ctx.now())
    setTries(ctx, walletId, next.recent, next.lockedUntil)
    return null
  })
  if (refused) return refused
  const underPassword = await ctx.sealer.open(row.sealed_view, viewBinding(ctx, walletId))
  const privateKey = await openUnderPassword(underPassword, masterPassword)
  store.transaction(() => {
    if (privateKey !== null) setTries(ctx, walletId, 0, 0)
    audit(store, ctx.now(), privateKey === null ? 'wallet.key_refused' : 'wallet.key_viewed', walletId)
  })
  if (privateKey === null)
    return {
      ok: false,
      code: 'unprocessable',
      message: 'Invalid master password or failed to retrieve private key.',
      field: 'masterPassword',
    }
  return { ok: true, value: { privateKey } }
}

const setTries = (ctx: Context, walletId: string, tries: number, lockedUntil: number) =>
  ctx.store.run('UPDATE imported_key SET tries = ?, locked_until = ? WHERE wallet_id = ?', tries, lockedUntil, walletId)
