import { type Refused, refuse } from '../../result.ts'
import type { Context } from '../context.ts'
import { audit } from '../ledger/audit.ts'
import { stopQueued } from '../payments/cancel.ts'
import type { SuspensionState } from './api.ts'

/** The refusal of anything new for the owner of a suspended account, who can still read and leave; null if not suspended. */
export const suspendedOwner = ({ store }: Context): Refused | null =>
  store.isSuspended
    ? refuse(
        'account_suspended',
        'The operator has suspended this account. You can still read everything, take payouts back and withdraw.',
      )
    : null

/** The same for the account's agents, which may do nothing. */
export const suspendedAgent = ({ store }: Context): Refused | null =>
  store.isSuspended
    ? {
        ...refuse('account_suspended', 'The operator has suspended the account of this agent.'),
        refusal: { rule: 'account.suspended', next: 'Ask the owner to contact the operator.', max_allowed_now: '0' },
      }
    : null

const stateKey = 'suspension'
const none: SuspensionState = { since: null, version: 0 }

export function suspensionState({ store }: Context): SuspensionState {
  const stored = store.meta(stateKey)
  return stored === null ? none : (JSON.parse(stored) as SuspensionState)
}

/** Stores D1's state. Call only if it is newer than the stored state. */
export function writeSuspensionState({ store }: Context, { since, version }: SuspensionState): void {
  store.suspend(since !== null)
  store.setMeta(stateKey, JSON.stringify({ since, version }))
}

/**
 * Suspends the account, or ends its suspension. From the next call on, agents are refused everything and the owner anything
 * new. Unsigned payments fail; signed ones are delivered, and recipients can claim. Repeating it changes nothing. The
 * reason is recorded with the operator's act, not here.
 */
export function setSuspended(ctx: Context, isSuspended: boolean): SuspensionState & { stoppedPayments: number } {
  const { store } = ctx
  return store.transaction(() => {
    const before = suspensionState(ctx)
    if (store.isSuspended === isSuspended) return { ...before, stoppedPayments: 0 }
    const state = { since: isSuspended ? ctx.now() : null, version: before.version + 1 }
    store.suspend(isSuspended)
    store.setMeta(stateKey, JSON.stringify(state))
    const stoppedPayments = isSuspended ? stopQueued(ctx, 'all', 'account_suspended') : 0
    audit(store, ctx.now(), isSuspended ? 'account.suspended' : 'account.unsuspended', 'account', { stoppedPayments })
    return { ...state, stoppedPayments }
  })
}
