import { formatUsdc, type MicroUsdc, parseUsdc } from '#domain/money.ts'
import type { ApprovalSettings } from '#schemas/approval.ts'
import { ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import type { Decider } from './api.ts'

/** Meta key. The value is decimal USDC, or '' for no limit. */
const key = 'approval_password_above'

/** Approving more than this needs the password. Null if it is never needed. */
export const passwordAbove = ({ store }: Context): MicroUsdc | null => parseUsdc(store.meta(key) ?? '')

export const settingsView = (ctx: Context): ApprovalSettings => {
  const limit = passwordAbove(ctx)
  return { passwordAbove: limit === null ? null : formatUsdc(limit) }
}

/** Sets the amount above which approving needs the password. Raising or removing it needs it too; lowering does not. */
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
      return refuse('password_required', 'Enter your password to raise or remove this limit.', { field: 'password' })
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
