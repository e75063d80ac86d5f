import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import type { ApprovalSettings } from '#schemas/approval.ts'
import { ok, type Result, refuse } from '../../result.ts'
import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { passwordAbove } from '../limits/ownerPassword.ts'
import type { Decider } from './rpcTypes.ts'

export const settingsView = (ctx: Context): ApprovalSettings => {
  const limit = passwordAbove(ctx)
  return { passwordAbove: limit === null ? null : formatUsdc(limit) }
}

/** Sets the amount above which the password is needed. Raising or removing it needs it too; lowering does not. */
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
    store.setMeta('approval_password_above', now)
    audit(store, ctx.now(), 'account.approval_limit_set', 'account', {
      by: input.by.userId,
      session: input.by.sessionId,
      before: before === null ? null : formatUsdc(before),
      now: now === null ? null : formatUsdc(now),
    })
    return ok(settingsView(ctx))
  })
}
