import type { Paused } from '#schemas/policy.ts'
import { ok, type Result, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { audit } from '../../ledger/audit.ts'
import { resumedSpending, takeIncrease } from '../../limits/ownerPassword.ts'
import { type StopCode, stopQueued } from '../../payments/cancel.ts'
import type { PauseSubject } from '../../policies/rpcTypes.ts'

const subjects = {
  agent: { table: 'agent', column: 'agent_id', what: 'Agent', code: 'agent_paused' },
  group: { table: 'policy_group', column: 'group_id', what: 'Policy group', code: 'group_paused' },
  wallet: { table: 'wallet', column: 'wallet_id', what: 'Wallet', code: 'wallet_paused' },
} as const satisfies Record<string, { table: string; column: string; what: string; code: StopCode }>

/**
 * Pauses or resumes, effective from the next call. While paused, nothing new is accepted; unsigned payments fail, signed ones
 * run to completion. Pausing the account stops all agents, pausing a wallet all of its payments. Repeating changes nothing.
 */
export function setPaused(
  ctx: Context,
  subject: PauseSubject,
  paused: boolean,
  passwordChecked = false,
): Result<Paused> {
  const { store } = ctx
  return store.transaction((): Result<Paused> => {
    const event = `${subject.kind}.${paused ? 'paused' : 'resumed'}` as const
    if (subject.kind === 'account') {
      const changes = store.accountPaused !== paused
      const unconfirmed = changes && !paused && takeIncrease(ctx, resumedSpending(store, subject), passwordChecked)
      if (unconfirmed) return unconfirmed
      if (changes) store.pauseAccount(paused)
      const stoppedPayments = paused ? stopQueued(ctx, 'all agents', 'account_paused') : 0
      if (changes) audit(store, ctx.now(), event, 'account', { stoppedPayments })
      return ok({ id: null, paused, stoppedPayments })
    }
    const { kind, id } = subject
    const { table, column, what, code } = subjects[kind]
    const row = kind === 'agent' ? store.agent(id) : kind === 'group' ? store.group(id) : store.wallet(id)
    if (!row || ('status' in row && row.status === 'deleted')) return refuse('not_found', `${what} not found.`)
    const changes = (row.paused === 1) !== paused
    const unconfirmed = changes && !paused && takeIncrease(ctx, resumedSpending(store, subject), passwordChecked)
    if (unconfirmed) return unconfirmed
    if (changes) store.run(`UPDATE ${table} SET paused = ? WHERE id = ?`, paused ? 1 : 0, id)
    const stoppedPayments = paused ? stopQueued(ctx, { column, id }, code) : 0
    if (changes) audit(store, ctx.now(), event, id, { stoppedPayments })
    return ok({ id, paused, stoppedPayments })
  })
}
