import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { WalletState } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import type { WalletRow } from '../core/storage/rows.ts'
import type { IdleRow } from '../core/storage/walletTables.ts'
import type { Look } from './look.ts'

/**
 * When idle wallets are read, for deposits, withdrawals by their owners, payouts settled without us and payments by a stolen
 * key: ten minutes after they were last used or looked at, then daily if Watch says when they change (watching.ts). Without
 * Watch, after twice as long each time.
 */

const firstWaitMs = 10 * minuteMs
/** While money is there and a session key can move it, a payment by someone who stole the key must be noticed. */
const riskyWaitMs = hourMs
const longestWaitMs = dayMs
/** From here on before a payout expires, its wallet is read as if it had just been used. */
const nearMs = hourMs

/** A wallet that was never read is due, and its logs are. */
const neverRead = { active_at: 0, next_read_at: 0, state: null, whole_state: null, logs_read_at: 0, watch_shard: 0 }

export const idleOf = ({ store }: Context, walletId: string): IdleRow =>
  store.first<IdleRow>('SELECT * FROM idle_wallet WHERE wallet_id = ?', walletId) ?? {
    wallet_id: walletId,
    ...neverRead,
  }

const save = ({ store }: Context, row: IdleRow): void => store.replace('idle_wallet', row)

/** Call when a wallet is used or looked at. Writes at most once in five minutes. */
export function markActive(ctx: Context, walletId: string): void {
  const now = ctx.now()
  const idle = idleOf(ctx, walletId)
  if (Math.abs(now - idle.active_at) < firstWaitMs / 2) return
  save(ctx, { ...idle, active_at: now })
  readBy(ctx, walletId, now + firstWaitMs)
}

/** True if it is due for no other reason than its last use, and its books are as new as that. */
export const isOnlyUsed = ({ active_at, next_read_at, logs_read_at }: IdleRow): boolean =>
  next_read_at === active_at + firstWaitMs && Math.abs(active_at - logs_read_at) < minuteMs

/** Reads the wallet no later than `at` (ms). */
export function readBy(ctx: Context, walletId: string, at: number): void {
  const idle = idleOf(ctx, walletId)
  if (at < idle.next_read_at) save(ctx, { ...idle, next_read_at: at })
  ctx.schedule('scan', at)
}

/** Reads all wallets now, with their logs. */
export function readAllNow(ctx: Context): void {
  ctx.store.run('DELETE FROM idle_wallet')
  ctx.schedule('scan', ctx.now())
}

/** Wallets whose time has come. A time that is too far ahead was written by a clock that was wrong. */
export const dueWallets = ({ store, now }: Context): WalletRow[] =>
  store.all<WalletRow>(
    `SELECT wallet.* FROM wallet LEFT JOIN idle_wallet ON wallet_id = id
     WHERE status IN ('active','failed') AND coalesce(next_read_at NOT BETWEEN ?1 AND ?1 + ?2, 1)`,
    now() + 1,
    longestWaitMs,
  )

/** When the next wallet is due (ms). What else the alarm does has to be done at least daily. */
export function nextDueAt({ store, now }: Context): number {
  const { at } = store.first<{ at: number | null }>(
    `SELECT min(coalesce(next_read_at, 0)) AS at FROM wallet LEFT JOIN idle_wallet ON wallet_id = id
     WHERE status IN ('active','failed')`,
  )!
  return Math.min(at ?? Number.POSITIVE_INFINITY, now() + longestWaitMs)
}

/** Records that everything is in the books up to a block at which the wallet looked like this. */
export function recordLogsRead(ctx: Context, walletId: string, { digest, state }: Look): void {
  const whole_state = state && JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
  save(ctx, { ...idleOf(ctx, walletId), state: digest, whole_state, logs_read_at: ctx.now() })
}

/** A smart wallet's state at the block up to which everything is in the books; null if it is not known. */
export function stateAtLogsRead(ctx: Context, walletId: string): WalletState | null {
  const { state, whole_state } = idleOf(ctx, walletId)
  if (state === null || whole_state === null) return null
  const isBigint = (value: unknown): value is string => typeof value === 'string' && /^\d+n$/.test(value)
  return JSON.parse(whole_state, (_, value) => (isBigint(value) ? BigInt(value.slice(0, -1)) : value))
}

/** Remembers which shard of Watch has the wallet. */
export const recordWatchShard = (ctx: Context, walletId: string, watch_shard: number): void =>
  save(ctx, { ...idleOf(ctx, walletId), watch_shard })

/** Makes the next reading include the wallet's logs. */
export const forgetLook = ({ store }: Context, walletId: string): void =>
  void store.run('UPDATE idle_wallet SET state = NULL WHERE wallet_id = ?', walletId)

export type IdleReading = {
  /** Micro-USDC. */
  balance?: bigint
  /** It was used, or a change was found. */
  isActive?: boolean
  /** Watch will say when it changes. */
  isWatched?: boolean
}

/** Records that the wallet was read, and when it is due again. */
export function recordRead(ctx: Context, walletId: string, reading: IdleReading): void {
  const { isActive = false } = reading
  const now = ctx.now()
  const before = idleOf(ctx, walletId)
  const idle = { ...before, ...(isActive && { active_at: now }) }
  save(ctx, { ...idle, next_read_at: nextReadAt(ctx, idle, reading) })
}

function nextReadAt(ctx: Context, { wallet_id, active_at }: IdleRow, reading: IdleReading): number {
  const { balance = 0n, isWatched = false } = reading
  const now = ctx.now()
  const expiresAt = nextExpiryAt(ctx, wallet_id)
  const isNear = expiresAt !== null && expiresAt - now <= nearMs
  const isRisky = !isWatched && canBeStolen(ctx, wallet_id, balance)
  const longest = isNear ? firstWaitMs : isRisky ? riskyWaitMs : longestWaitMs
  const wait = Math.min(longest, isWatched ? longestWaitMs : Math.max(firstWaitMs, now - active_at))
  return Math.min(now + wait, expiresAt === null || isNear ? Number.POSITIVE_INFINITY : expiresAt - nearMs)
}

function canBeStolen({ store, now }: Context, walletId: string, balance: bigint): boolean {
  const session = store.session(walletId)
  return balance > 0n && session !== null && session.valid_until * 1000 > now()
}

/** When the first of the wallet's payouts that can be claimed expires (ms); null if none is going to. */
const nextExpiryAt = ({ store, now }: Context, walletId: string): number | null =>
  store.first<{ at: number }>(
    "SELECT expires_at AS at FROM payout WHERE status = 'CREATED' AND wallet_id = ? AND expires_at > ? ORDER BY expires_at LIMIT 1",
    walletId,
    now(),
  )?.at ?? null
