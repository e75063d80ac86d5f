import { formatUsdc, type MicroUsdc, parseUsdc } from '#domain/money.ts'
import type { ApprovalSettings } from '#schemas/approval.ts'
import { ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import type { Decider } from './api.ts'

/** Meta key: decimal USDC, '' for none. */
const key = 'approval_password_above'

/** Approving more than this needs the password; null: never. */
export const passwordAbove = ({ store }: Context): MicroUsdc | null => parseUsdc(store.meta(key) ?? '')

export const settingsView = (ctx: Context): ApprovalSettings => {
  const limit = passwordAbove(ctx)
  return { passwordAbove: limit === null ? null : formatUsdc(limit) }
}

/** Lowering it protects more and needs nothing; raising or removing it needs the password. */
export function setSettings(
  ctx: Context,
  input: { passwordAbove: MicroUsdc | null; by: Decider; passwordChecked: boolean },
): Result<ApprovalSettings> {
  const { store } = ctx
  return store.transaction((): Result<ApprovalSettings> => {
    const before = passwordAbove(ctx)
    const now = input.passwordAbove
    if (before === now) return ok(settingsView(ctx))
    const protectsLess = before !== null && (now === null || now > before)
    if (protectsLess && !input.passwordChecked)
      return refuse('password_required', 'Enter your password to protect less than before.', { field: 'password' })
    store.setMeta(key, now === null ? '' : formatUsdc(now))
    audit(store, ctx.now(), 'account.approval_limit_set', 'account', {
      by: input.by.userId,
      session: input.by.sessionId,
      before: before === null ? null : formatUsdc(before),
      now: now === null ? null : formatUsdc(now),
    })
    return ok(settingsView(ctx))
  })
}
