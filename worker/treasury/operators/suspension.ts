import type { Context } from '../core/context.ts'
import { audit } from '../ledger/audit.ts'
import { stopQueued } from '../payments/cancel.ts'
import type { SuspensionState } from '../storage/meta.ts'

/**
 * Suspends the account, or ends its suspension. From the next call on, agents are refused everything and the owner anything
 * new. Unsigned payments fail; signed ones are delivered, and recipients can claim. Repeating it changes nothing. The
 * reason is recorded with the operator's act, not here.
 */
export function setSuspended(ctx: Context, isSuspended: boolean): SuspensionState & { stoppedPayments: number } {
  const { store } = ctx
  return store.transaction(() => {
    if (store.isSuspended === isSuspended) return { ...store.suspension, stoppedPayments: 0 }
    const state = { since: isSuspended ? ctx.now() : null, version: store.suspension.version + 1 }
    store.suspension = state
    const stoppedPayments = isSuspended ? stopQueued(ctx, 'all', 'account_suspended') : 0
    audit(store, ctx.now(), isSuspended ? 'account.suspended' : 'account.unsuspended', 'account', { stoppedPayments })
    return { ...state, stoppedPayments }
  })
}
