import { addressOf } from '../chain/sign.ts'
import type { Address, Hex, WalletState } from '../chain/types.ts'
import { formatUsdc } from '../domain/money.ts'
import type { Refused, Result } from '../errors.ts'
import type { OwnerTurn, RotateReply, SessionKeyInfo, SessionOffer } from '../schemas/sessionKey.ts'
import { audit } from './audit.ts'
import { type Context, isNodeTrouble, newId } from './context.ts'
import { earlier, fingerprintOf, keyOf, remember, reusedKey } from './idempotency.ts'
import { hexOf } from './seal.ts'
import { sessionKeyBinding } from './sign.ts'
import { column, type SessionRow, type WalletRow } from './store.ts'
import {
  actionOf,
  operatorKey,
  ownerCall,
  recentActions,
  refusalOf,
  rotationAt,
  signedRotation,
  type WalletActionRow,
} from './walletActions.ts'
import { readSession } from './wallets.ts'

/** How long payments of the old session may hold up a rotation (design.md section 5). */
const drainMs = 5 * 60_000 // 5 minutes
/** New keys for one wallet within 24 hours: we pay for rotations, and each key is a row for good. Owners are not bound. */
const mostADay = 100
const dayMs = 24 * 3600_000 // 24 hours
/** How long an owner's signature may be submitted; the wallet takes up to a day. */
const ownerTurnSeconds = 3600

export type RotateInput = { key: string | null; walletId: string; limit: bigint; hours: number }
export type OwnerInput = {
  walletId: string
  ownerNonce: bigint
  deadline: number
  signature: Hex
} & (
  | { kind: 'setSession'; actionId: string }
  | { kind: 'revokeSession' | 'disableRotation' }
  | { kind: 'withdraw'; to: Address; amount: bigint }
)

const notFound = (what: string): Refused => ({ ok: false, code: 'not_found', message: `${what} not found.` })

/** A smart wallet of this user that is on chain, and its state there; our ledger has seen that state too. */
async function liveWallet(ctx: Context, walletId: string): Promise<Result<{ wallet: WalletRow; state: WalletState }>> {
  const wallet = ctx.store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  const state = wallet.status === 'active' ? await readSession(ctx, wallet) : null
  if (!state) return { ok: false, code: 'wallet_not_ready', message: 'The wallet is not ready yet.' }
  return { ok: true, value: { wallet, state } }
}

const startedToday = (ctx: Context, walletId: string) =>
  ctx.store.first<{ n: number }>(
    'SELECT count(*) AS n FROM wallet_action WHERE wallet_id = ? AND created_at > ?',
    walletId,
    ctx.now() - dayMs,
  )!.n
const tooOften: Refused = {
  ok: false,
  code: 'rate_limited',
  message: 'This wallet’s session key was changed too often today. Please try again tomorrow.',
  retryAfter: 3600,
}

/** Only the address ever leaves this object. */
async function newSessionKey(ctx: Context, walletId: string): Promise<{ address: Address; sealed: string }> {
  const key: Hex = `0x${hexOf(ctx.random(32))}`
  return { address: addressOf(key), sealed: await ctx.sealer.seal(key, sessionKeyBinding(ctx, walletId)) }
}

/** The action that an earlier call with this key started. */
function repeated(ctx: Context, kind: string, input: RotateInput): Result<WalletActionRow> | null {
  if (input.key === null) return null
  const known = earlier(ctx.store, keyOf({ type: 'user' }, input.key), fingerprint(kind, input))
  if (known === 'reused') return reusedKey
  return known && { ok: true, value: actionOf(ctx, known.ref)! }
}
const fingerprint = (kind: string, { walletId, limit, hours }: RotateInput) =>
  fingerprintOf([kind, walletId, limit, hours])

/**
 * A fresh key of ours, under the provider's authority. Refused when the wallet would refuse it now; otherwise written
 * down with its key, signed once the old session's payments are through, and followed to its end by the settle timer.
 * Throws RpcUnavailable.
 */
export async function rotate(ctx: Context, input: RotateInput): Promise<Result<WalletActionRow>> {
  const before = repeated(ctx, 'rotate', input)
  if (before) return before
  if (startedToday(ctx, input.walletId) >= mostADay) return tooOften
  const live = await liveWallet(ctx, input.walletId)
  if (!live.ok) return live
  const { wallet, state } = live.value
  const operator = operatorKey(ctx)
  if (!operator)
    return { ok: false, code: 'owner_must_sign', message: 'Bursar does not rotate here. Sign with your owner key.' }
  const key = await newSessionKey(ctx, wallet.id)
  const rotation = rotationAt(state, { key: key.address, limit: input.limit, hours: input.hours })
  const refused = await refusalOf(ctx, wallet, signedRotation(wallet, rotation, operator))
  if (refused) return refused
  return ctx.store.transaction((): Result<WalletActionRow> => {
    const meanwhile = repeated(ctx, 'rotate', input)
    if (meanwhile) return meanwhile
    if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
    if (isChanging(ctx, wallet.id)) return underWay
    const id = insertSession(ctx, wallet, 'rotate', 'draining', input, key, { epoch: state.epoch, validUntil: null })
    ctx.wake('settle', ctx.now())
    return { ok: true, value: actionOf(ctx, id)! }
  })
}

const underWay: Refused = {
  ok: false,
  code: 'conflict',
  message: 'The session key is being changed already. Please wait until that has ended.',
}
/** At most one new session at a time; a partial index holds it too. */
const isChanging = (ctx: Context, walletId: string) =>
  ctx.store.first(
    "SELECT 1 FROM wallet_action WHERE wallet_id = ? AND kind IN ('rotate','setSession') AND status IN ('draining','sent')",
    walletId,
  ) !== null

function insertSession(
  ctx: Context,
  wallet: WalletRow,
  kind: 'rotate' | 'setSession',
  status: 'draining' | 'offered',
  input: RotateInput,
  key: { address: Address; sealed: string },
  /** The session to be replaced; an owner's signature says that by itself. */
  { epoch, validUntil }: { epoch: number | null; validUntil: number | null },
): string {
  const { store } = ctx
  const id = newId(ctx, 'act')
  const now = ctx.now()
  store.run(
    `INSERT INTO wallet_action (id, wallet_id, kind, status, key_address, sealed_key, spend_limit, ttl_hours, epoch, valid_until, drain_until, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    wallet.id,
    kind,
    status,
    key.address,
    key.sealed,
    column(input.limit),
    input.hours,
    epoch,
    validUntil,
    now + drainMs,
    now,
  )
  if (input.key !== null)
    remember(store, keyOf({ type: 'user' }, input.key), fingerprint(kind, input), 'action', id, now)
  audit(store, now, `action.${status}`, id, {
    kind,
    wallet: wallet.id,
    sessionKey: key.address,
    limit: formatUsdc(input.limit),
    hours: input.hours,
  })
  return id
}

const turnAt = (state: WalletState): OwnerTurn => ({
  ownerNonce: state.ownerNonce.toString(),
  deadline: state.timestamp + ownerTurnSeconds,
  balance: state.balance.toString(),
})

/** What the owner has to sign next. Throws RpcUnavailable. */
export async function ownerTurn(ctx: Context, walletId: string): Promise<Result<OwnerTurn>> {
  const live = await liveWallet(ctx, walletId)
  return live.ok ? { ok: true, value: turnAt(live.value.state) } : live
}

/** A fresh key of ours that only the owner's signature puts in force. It stays good for any later signature too. */
export async function offerSession(ctx: Context, input: RotateInput): Promise<Result<SessionOffer>> {
  const live = await liveWallet(ctx, input.walletId)
  if (!live.ok) return live
  const { wallet, state } = live.value
  let found = repeated(ctx, 'setSession', input)
  if (!found) {
    if (startedToday(ctx, wallet.id) >= mostADay) return tooOften
    const key = await newSessionKey(ctx, wallet.id)
    found = ctx.store.transaction(() => {
      const meanwhile = repeated(ctx, 'setSession', input)
      if (meanwhile) return meanwhile
      if (!ctx.store.liveWallet(wallet.id)) return notFound('Wallet')
      const validUntil = state.timestamp + input.hours * 3600
      const id = insertSession(ctx, wallet, 'setSession', 'offered', input, key, { epoch: null, validUntil })
      return { ok: true, value: actionOf(ctx, id)! } as const
    })
  }
  if (!found.ok) return found
  const { id, key_address, spend_limit, valid_until } = found.value
  const offer = { sessionKeyAddress: key_address!, spendingLimit: String(spend_limit), validUntil: valid_until! }
  return { ok: true, value: { ...turnAt(state), actionId: id, ...offer } }
}

/** Bring on chain what the owner signed. The wallet itself judges it first. The same signature again is the same action. */
export async function submitOwnerAction(ctx: Context, input: OwnerInput): Promise<Result<WalletActionRow>> {
  const { store } = ctx
  const live = await liveWallet(ctx, input.walletId)
  if (!live.ok) return live
  const { wallet, state } = live.value
  const offer = input.kind === 'setSession' ? actionOf(ctx, input.actionId) : null
  if (input.kind === 'setSession' && (offer?.kind !== 'setSession' || offer.wallet_id !== wallet.id))
    return notFound('Offer')
  const signature = compact(input.signature)
  if (!signature) return { ok: false, code: 'invalid_input', message: 'This is not a signature.', field: 'signature' }
  const data = ownerCall(
    {
      kind: input.kind,
      ...(offer && {
        session: { key: offer.key_address!, limit: BigInt(offer.spend_limit!), validUntil: offer.valid_until! },
      }),
      ...(input.kind === 'withdraw' && {
        withdraw: { token: ctx.chains[wallet.chain_id].contracts.usdc, to: input.to, amount: input.amount },
      }),
    },
    { deadline: input.deadline, ...signature },
  )
  const known = () =>
    store.first<WalletActionRow>('SELECT * FROM wallet_action WHERE wallet_id = ? AND data = ?', wallet.id, data)
  const before = known()
  if (before) return { ok: true, value: before }
  const refused = await refusalOf(ctx, wallet, data)
  if (refused) return refused

  return store.transaction((): Result<WalletActionRow> => {
    const meanwhile = known()
    if (meanwhile) return { ok: true, value: meanwhile }
    if (!store.liveWallet(wallet.id)) return notFound('Wallet')
    const taken = store.first(
      "SELECT 1 FROM wallet_action WHERE wallet_id = ? AND owner_nonce = ? AND status IN ('draining','sent')",
      wallet.id,
      input.ownerNonce.toString(),
    )
    if (taken)
      return {
        ok: false,
        code: 'conflict',
        message: 'Something else that you signed is under way. Please wait for it.',
      }
    if (offer && isChanging(ctx, wallet.id)) return underWay
    const now = ctx.now()
    const id = offer?.id ?? newId(ctx, 'act')
    if (offer) {
      // Drains first like a rotation of ours, so that no payment dies with the old session.
      const turned = store.run(
        "UPDATE wallet_action SET status = 'draining', data = ?, deadline = ?, owner_nonce = ?, drain_until = ? WHERE id = ? AND status = 'offered'",
        data,
        input.deadline,
        input.ownerNonce.toString(),
        now + drainMs,
        id,
      )
      if (turned === 0) return underWay
    } else
      store.run(
        `INSERT INTO wallet_action (id, wallet_id, kind, status, epoch, owner_nonce, to_address, amount, deadline, data, first_block, created_at)
         VALUES (?, ?, ?, 'sent', ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        wallet.id,
        input.kind,
        state.epoch,
        input.ownerNonce.toString(),
        input.kind === 'withdraw' ? input.to : null,
        input.kind === 'withdraw' ? column(input.amount) : null,
        input.deadline,
        data,
        state.blockNumber,
        now,
      )
    audit(store, now, 'action.submitted', id, { kind: input.kind, wallet: wallet.id, deadline: input.deadline })
    ctx.wake('settle', now)
    return { ok: true, value: actionOf(ctx, id)! }
  })
}

/** r ‖ s ‖ v (27 or 28, or 0 or 1) in the compact form of EIP-2098; null for a high s or another v. */
function compact(signature: Hex): { r: Hex; vs: Hex } | null {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  const parity = v >= 27 ? v - 27 : v
  if ((parity !== 0 && parity !== 1) || s >> 255n !== 0n) return null
  const vs = (BigInt(parity) << 255n) | s
  return { r: signature.slice(0, 66) as Hex, vs: `0x${vs.toString(16).padStart(64, '0')}` }
}

/** The session as ledger and chain have it; without an answer of the node what we know. */
export async function sessionKeyInfo(ctx: Context, walletId: string): Promise<Result<SessionKeyInfo>> {
  const { store } = ctx
  const wallet = store.liveWallet(walletId)
  if (wallet?.kind !== 'smart') return notFound('Wallet')
  let state: WalletState | null = null
  try {
    state = wallet.status === 'active' ? await readSession(ctx, wallet) : null
  } catch (error) {
    if (!isNodeTrouble(error)) throw error
  }
  const current = store.session(walletId)
  const session =
    current ??
    store.first<SessionRow>('SELECT * FROM session WHERE wallet_id = ? ORDER BY epoch DESC LIMIT 1', walletId)
  const validUntil = session?.valid_until ?? wallet.valid_until
  const isExpired = validUntil * 1000 < (state ? state.timestamp * 1000 : ctx.now())
  const rotationDisabled = state?.rotationDisabled ?? false
  const sessionRevoked = state?.sessionRevoked ?? false
  return {
    ok: true,
    value: {
      address: session?.key_address ?? wallet.session_key,
      spendingLimit: String(session?.spend_limit ?? wallet.session_limit),
      spentAmount: String(session?.used ?? 0),
      heldAmount: String(session?.held ?? 0),
      validUntil,
      isExpired,
      isActive: current !== null && !isExpired,
      canRotate: operatorKey(ctx) !== null && !rotationDisabled && !sessionRevoked,
      nonce: session?.epoch ?? 0,
      rotationDisabled,
      sessionRevoked,
      actions: recentActions(ctx, walletId),
    },
  }
}

/** The reply of a started rotation. */
export async function rotateReply(ctx: Context, action: WalletActionRow): Promise<Result<RotateReply>> {
  const info = await sessionKeyInfo(ctx, action.wallet_id)
  return info.ok ? { ok: true, value: { ...info.value, actionId: action.id } } : info
}
