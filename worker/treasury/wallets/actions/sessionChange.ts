import { formatUsdc } from '#domain/money.ts'
import { dayMs } from '#domain/time.ts'
import type { Address } from '../../../chain/types.ts'
import { ok, type Refused, type Result, refuse } from '../../../result.ts'
import { type Context, newId } from '../../core/context.ts'
import { audit } from '../../ledger/audit.ts'
import { findReplay, idempotentRequest, remember } from '../../ledger/idempotency.ts'
import { toColumn } from '../../storage/columns.ts'
import type { WalletActionRow, WalletRow } from '../../storage/rows.ts'
import type { RotateInput } from '../rpcTypes.ts'
import { actionOf } from './actions.ts'

/** How long payments of the old session may delay its replacement. */
export const drainMs = 5 * 60_000 // 5 minutes

/** Maximum number of new session keys per wallet in 24 hours: Bursar pays for rotations, and keys' rows are kept forever. */
export const maxPerDay = 100

export const startedWithinDay = (ctx: Context, walletId: string) =>
  ctx.store.first<{ n: number }>(
    'SELECT count(*) AS n FROM wallet_action WHERE wallet_id = ? AND created_at > ?',
    walletId,
    ctx.now() - dayMs,
  )!.n

export const tooOften: Refused = refuse(
  'rate_limited',
  'This wallet’s session key was changed too often today. Please try again tomorrow.',
  { retryAfter: 3600 },
)

/** The two ways to start a new session: a rotation under the provider's authority, or a change that the owner signs. */
type SessionChange = 'rotate' | 'setSession'

const requestOf = (kind: SessionChange, { key, walletId, limit, hours }: RotateInput) =>
  idempotentRequest({ type: 'user' }, key, [kind, walletId, limit, hours])

/** The action that an earlier request with this idempotency key started; null if there was none. */
export function actionReplay(ctx: Context, kind: SessionChange, input: RotateInput): Result<WalletActionRow> | null {
  const replay = findReplay(ctx.store, requestOf(kind, input))
  return replay && (replay.ok ? ok(actionOf(ctx, replay.value)!) : replay)
}

export const changeInProgress: Refused = refuse(
  'conflict',
  'The session key is already being changed. Please wait until that change has ended.',
)

/** True while a session change is in progress. Only one is allowed at a time; a partial unique index enforces it as well. */
export const isChanging = (ctx: Context, walletId: string) =>
  ctx.store.first(
    "SELECT 1 FROM wallet_action WHERE wallet_id = ? AND kind IN ('rotate','setSession') AND status IN ('draining','sent')",
    walletId,
  ) !== null

export function insertSession(
  ctx: Context,
  wallet: WalletRow,
  kind: SessionChange,
  status: 'draining' | 'offered',
  input: RotateInput,
  key: { address: Address; sealed: string },
  /** `epoch` is that of the session to be replaced; null if the owner's signature binds it. */
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
    toColumn(input.limit),
    input.hours,
    epoch,
    validUntil,
    now + drainMs,
    now,
  )
  remember(store, requestOf(kind, input), 'action', id, now)
  audit(store, now, `action.${status}`, id, {
    kind,
    wallet: wallet.id,
    sessionKey: key.address,
    limit: formatUsdc(input.limit),
    hours: input.hours,
  })
  return id
}
