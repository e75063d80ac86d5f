import type { Context } from '../core/context.ts'

/** Lists ask for changes themselves, so History can be told of several at once. */
const delayMs = 3_000 // 3 seconds

/**
 * Numbers a change of what History copies, in the transaction of the change: a payment or movement by its id, or a named
 * value (delivery/recoverableRows.ts). Each has one number, that of its last change.
 */
export function recordChange({ store, schedule, now }: Context, ref: string): void {
  store.replace('change', { ref })
  schedule('history', now() + delayMs)
}

/** Records that an agent has another name: rows that History has copied have the former one. */
export const recordAgentName = (ctx: Context, agentId: string): void => recordChange(ctx, `agent:${agentId}`)

/** Records a change of a wallet, of which History keeps a copy. */
export const recordWalletChange = (ctx: Context, walletId: string): void => recordChange(ctx, `wallet:${walletId}`)
