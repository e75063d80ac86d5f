import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { attemptAllowed, recordWrong } from '#domain/attempts.ts'
import { usdcDomainSeparator } from '../../chain/authorization.ts'
import { addressOf } from '../../chain/sign.ts'
import type { Address, Block, Hex } from '../../chain/types.ts'
import { cost, derive } from '../../identity/passwords.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import { finalizedBlock } from '../core/chainHeads.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import { type Context, newId } from '../core/context.ts'
import { toColumn } from '../core/storage/columns.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import { audit } from '../ledger/audit.ts'
import { idempotentRequest, remember, reusedKey } from '../ledger/idempotency.ts'
import { recordWalletChange } from '../outbox/changes.ts'
import { auditAndReport } from '../outbox/reportedChanges.ts'
import { markActive } from './idleReads.ts'
import { walletLimitProblem, walletReplay } from './newWallets.ts'
import type { ImportInput } from './rpcTypes.ts'
import { codeChecks, importedKeyBinding } from './sessionKeys.ts'

/**
 * Imported wallets are plain keys. The key is stored sealed twice: under the key-encryption key, for signing payments
 * within policies, and additionally under the master password, for viewing. Payments go through the same reservation,
 * signing and settlement as a smart wallet's, with EIP-3009 authorizations instead of sends. The wallet's only session
 * never expires and has the largest limit that fits a column.
 */

export const viewBinding = (ctx: Context, walletId: string) => `${ctx.userId}|imported key for viewing|${walletId}`

const onlyEpoch = 1
const noLimit = toColumn(BigInt(Number.MAX_SAFE_INTEGER))
const noEnd = 253_402_300_799 // the last second of the year 9999
const zeroAddress: Address = `0x${'0'.repeat(40)}`
const zeroSalt: Hex = `0x${'0'.repeat(64)}`

const wrong = (field: string, message: string): Refused => refuse('invalid_input', message, { field })

/** Reads balance and code first; throws RpcUnavailable. */
export async function importWallet(ctx: Context, input: ImportInput): Promise<Result<WalletRow>> {
  const { store } = ctx
  if (!belongsTo(input.privateKey, input.address))
    return wrong('privateKey', 'This private key does not belong to the wallet address.')
  const { address, chainId, name, policyGroupId } = input
  const request = idempotentRequest({ type: 'user' }, input.key, ['import', address, chainId, name, policyGroupId])
  const replay = () => walletReplay(store, request)
  const before = replay() ?? refusal(ctx, input)
  if (before) return underSamePassword(ctx, input, before)

  const read = await readAccount(ctx, input)
  if (!read.ok) return read
  const id = newId(ctx, 'wal')
  const sealed = await ctx.sealer.seal(input.privateKey, importedKeyBinding(ctx, id))
  const underPassword = await sealUnderPassword(input.privateKey, input.masterPassword)
  const sealedView = await ctx.sealer.seal(underPassword, viewBinding(ctx, id))

  const added = store.transaction((): Result<WalletRow> => {
    const meanwhile = replay() ?? refusal(ctx, input)
    if (meanwhile) return meanwhile
    const now = ctx.now()
    const imported = importedWallet(input, read.value)
    store.insert('wallet', { ...imported, id, created_at: now, request_key: request?.key ?? null })
    recordWalletChange(ctx, id)
    store.insert('session', {
      wallet_id: id,
      epoch: onlyEpoch,
      key_address: address,
      sealed_key: sealed,
      spend_limit: noLimit,
      valid_until: noEnd,
      current: 1,
    })
    store.insert('imported_key', { wallet_id: id, sealed_view: sealedView, domain_separator: read.value.separator })
    remember(store, request, 'wallet', id, now)
    auditAndReport(ctx, 'wallet.imported', id, { address: input.address, chainId: input.chainId })
    codeChecks(ctx).set(id, { isPlain: true, requestedAt: now })
    markActive(ctx, id)
    return ok(store.wallet(id)!)
  })
  if (!added.ok || added.value.id !== id) return underSamePassword(ctx, input, added)
  // The blocks that are not final yet. If the node does not respond, they are read before the first refusal for balance.
  await ctx.chainReads.refresh(store.wallet(id)!)
  return ok(store.wallet(id)!)
}

type Account = { separator: Hex; balance: bigint; final: Block }

/** The opening balance is from a finalized block, so it never has to be undone. All later blocks are scanned as usual. */
async function readAccount(ctx: Context, { chainId, address }: ImportInput): Promise<Result<Account>> {
  const chain = ctx.chains[chainId]
  const final = await finalizedBlock(ctx, chainId)
  const [code, separator, balance] = await Promise.all([
    chain.code(address),
    usdcDomainSeparator(chain),
    chain.usdcBalance(address, final.number),
  ])
  if (code !== '0x')
    return wrong('address', 'This account has contract code. Only plain accounts with a private key can be added.')
  if (separator === null) throw new Error(`USDC of chain ${chainId} has an unknown EIP-712 domain`)
  return ok({ separator, balance, final })
}

const importedWallet = ({ chainId, address, name }: ImportInput, { balance, final }: Account) =>
  ({
    chain_id: chainId,
    kind: 'imported',
    address,
    owner: address,
    name,
    status: 'active',
    factory: zeroAddress,
    salt: zeroSalt,
    session_key: address,
    sealed_key: '',
    session_limit: 0,
    valid_until: 0,
    deposits: toColumn(balance),
    scanned_block: final.number,
    final_block: final.number,
    anchor_block: final.number,
    anchor_hash: final.hash,
    start_block: final.number,
    start_balance: toColumn(balance),
  }) as const

/**
 * A repeat with another master password is another request, because its sender will try to view the key with that
 * password. The password is not part of the stored fingerprint, where it could be guessed faster than at its seal, so the
 * seal is opened instead. The caller has already presented the private key, so a correct guess reveals nothing more.
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
  const suspended = suspendedOwner(ctx)
  if (suspended) return suspended
  const known = store.first(
    "SELECT 1 FROM wallet WHERE chain_id = ? AND address = ? AND status <> 'deleted'",
    input.chainId,
    input.address,
  )
  if (known) return refuse('conflict', 'This wallet is already in your account.', { field: 'address' })
  const over = walletLimitProblem(ctx)
  if (over) return refuse('unprocessable', over)
  if (input.policyGroupId === null) return null
  if (!store.group(input.policyGroupId)) return notFound('Policy group', 'policyGroupId')
  // Every group gets its wallet when it is created, so this wallet can't be attached to any.
  return refuse('conflict', 'This policy group already has a wallet. Wallet cannot be changed after creation.', {
    field: 'policyGroupId',
  })
}

/**
 * Returns the private key to a caller who knows the master password. An attempt is counted before it is checked, and a
 * correct one resets the count, so parallel attempts can't exceed five checks in fifteen minutes either.
 */
export async function viewPrivateKey(
  ctx: Context,
  walletId: string,
  masterPassword: string,
): Promise<Result<{ privateKey: string }>> {
  const { store } = ctx
  const row = store.liveWallet(walletId) && store.importedKey(walletId)
  if (!row) return notFound('Wallet')
  const refused = store.transaction((): Refused | null => {
    const { tries, locked_until } = store.importedKey(walletId)!
    const attempts = { total: 0, recent: tries, lockedUntil: locked_until }
    const allowed = attemptAllowed(attempts, ctx.now())
    if (!allowed.ok) {
      const { message, retryAfter } = allowed
      return refuse('rate_limited', message, { field: 'masterPassword', ...(retryAfter !== null && { retryAfter }) })
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
    if (privateKey === null) audit(store, ctx.now(), 'wallet.key_refused', walletId)
    else auditAndReport(ctx, 'wallet.key_viewed', walletId)
  })
  if (privateKey === null)
    return refuse('unprocessable', 'Invalid master password or failed to retrieve private key.', {
      field: 'masterPassword',
    })
  return ok({ privateKey })
}

const setTries = (ctx: Context, walletId: string, tries: number, lockedUntil: number) =>
  ctx.store.run('UPDATE imported_key SET tries = ?, locked_until = ? WHERE wallet_id = ?', tries, lockedUntil, walletId)

/** Separates this derivation from the one for sign-in passwords. */
const purpose = 'bursar master password v1'

/** AES-256-GCM under a key derived by scrypt. Text form: `p1.<salt>.<iv>.<ciphertext and tag>`, base64url. */
async function sealUnderPassword(plain: string, password: string): Promise<string> {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await derive(password, purpose, { ...cost, salt }), iv)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return ['p1', ...[salt, iv, body].map((part) => part.toString('base64url'))].join('.')
}

/** Returns null if the password is wrong. Throws if the value does not have this form. */
async function openUnderPassword(sealed: string, password: string): Promise<string | null> {
  const [version, ...parts] = sealed.split('.')
  const [salt, iv, body] = parts.map((part) => Buffer.from(part, 'base64url'))
  if (version !== 'p1' || !salt || !iv || !body) throw new Error('password-sealed value of an unknown version')
  const decipher = createDecipheriv('aes-256-gcm', await derive(password, purpose, { ...cost, salt }), iv)
  decipher.setAuthTag(body.subarray(-16))
  try {
    return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
