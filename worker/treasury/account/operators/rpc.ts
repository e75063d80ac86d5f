import { RpcTarget } from 'cloudflare:workers'
import { operator } from '#domain/actor.ts'
import { type Limits, parseLimits, userLimits, withLimits } from '#domain/limits.ts'
import { andThen, ok } from '../../../result.ts'
import { actingAs } from '../../core/acting.ts'
import type { Context } from '../../core/context.ts'
import type { AuditRow } from '../../core/storage/eventTables.ts'
import { pageRows } from '../../core/storage/pages.ts'
import { isOpenPayout, statusIn } from '../../core/storage/statuses.ts'
import { audit } from '../../ledger/audit.ts'
import { gasAllowance, resetAllowance } from '../../limits/gas.ts'
import type { Outbox } from '../../outbox/delivery/flush.ts'
import { refreshSender, wakeSender } from '../../outbox/webhooks/rpc.ts'
import { stopQueued } from '../../payments/cancel.ts'
import { setLinkDown } from '../../payments/payouts/transitions.ts'
import { readAllNow } from '../../wallets/idleReads.ts'
import type { Submissions } from '../../wallets/relay/submissions.ts'
import { renewKeys } from '../keys/reseal.ts'
import type { AccountReport, AuditEntry, UserLimits } from './rpcTypes.ts'
import { stuckWork } from './stuck.ts'

type Parts = { outbox: Outbox; submissions: Submissions; wakeUp: () => Promise<unknown> }

const auditPageSize = 100

/** Limits that an operator has set for this account. */
const limitsSet = ({ store }: Context): UserLimits => parseLimits(store.meta('limits'))

/** What operators do to one account. Nothing here moves money. */
export class Operators extends RpcTarget {
  readonly #ctx: Context
  readonly #parts: Parts

  constructor(ctx: Context, parts: Parts) {
    super()
    this.#ctx = ctx
    this.#parts = parts
  }

  /**
   * Suspends the account, or ends its suspension. From the next call on, agents are refused everything and the owner anything
   * new. Unsigned payments fail; signed ones are delivered, and recipients can claim. Repeating it changes nothing. The
   * reason is recorded with the operator's act, not here.
   */
  async suspend(isSuspended: boolean) {
    const { store, now } = this.#ctx
    const state = store.transaction(() => {
      if (store.isSuspended === isSuspended) return { ...store.suspension, stoppedPayments: 0 }
      store.suspension = { since: isSuspended ? now() : null, version: store.suspension.version + 1 }
      const stoppedPayments = isSuspended ? stopQueued(this.#ctx, 'all', 'account_suspended') : 0
      const event = isSuspended ? 'account.suspended' : 'account.unsuspended'
      actingAs(operator, () => audit(store, now(), event, 'account', { stoppedPayments }))
      return { ...store.suspension, stoppedPayments }
    })
    await refreshSender(this.#ctx)
    return state
  }
  /**
   * Missing limits stay as they are; null resets one to the deployment's. Applies from the next call on, a gas allowance too:
   * not from tomorrow.
   */
  async setLimits(change: { [Name in keyof Limits]?: number | null }): Promise<UserLimits> {
    const ctx = this.#ctx
    const next: Record<string, number> = { ...limitsSet(ctx) }
    for (const name of userLimits) {
      const value = change[name]
      if (value === null) delete next[name]
      else if (value !== undefined) next[name] = value
    }
    const limits = withLimits(parseLimits(ctx.env.LIMITS), next)
    ctx.store.transaction(() => {
      ctx.store.setMeta('limits', JSON.stringify(next))
      if (change.gasPerDay !== undefined) resetAllowance({ ...ctx, limits })
      actingAs(operator, () => audit(ctx.store, ctx.now(), 'account.limits_set', 'account', change))
    })
    ctx.limits = limits
    return next
  }
  /** The account as operators see it: figures and states, no names, addresses or recipients. */
  async report(): Promise<AccountReport> {
    const { store } = this.#ctx
    const { limit, used } = gasAllowance(this.#ctx, null)
    return {
      suspension: store.suspension,
      agentsPaused: store.accountPaused,
      limits: limitsSet(this.#ctx),
      gas: { limit, used },
      counts: {
        wallets: store.count("wallet WHERE status <> 'deleted'"),
        agents: store.count('agent WHERE deleted_at IS NULL'),
        openPayments: store.count(`(SELECT 1 FROM payment WHERE status IN ${statusIn.unsettled} LIMIT ${pageRows})`),
        openPayouts: store.count(`(SELECT 1 FROM payout WHERE ${isOpenPayout} LIMIT ${pageRows})`),
      },
      stuck: await stuckWork(this.#ctx),
    }
  }
  /** Does work that waits for an alarm immediately, and re-arms a lost alarm. */
  async wake() {
    const { schedule, now } = this.#ctx
    for (const kind of ['settle', 'outbox', 'history', 'expiry'] as const) schedule(kind, now())
    readAllNow(this.#ctx)
    this.#parts.submissions.start({ fromTables: true })
    await this.#parts.wakeUp()
    await wakeSender(this.#ctx)
  }
  /** Takes the payout's claim link down, or restores it. The sender can take the payout back in either case. */
  async setLinkDown(payoutId: string, isDown: boolean) {
    return andThen(
      actingAs(operator, () => setLinkDown(this.#ctx, payoutId, isDown)),
      async ({ status }) => {
        await this.#parts.outbox.syncDesk(payoutId)
        return ok({ status, isDown })
      },
    )
  }
  /** Re-seals values that are sealed under another KEK version, a thousand at most, and returns what is left. */
  async renewKeys() {
    return renewKeys(this.#ctx)
  }
  /** At most 100 rows that are older than the row `before`, newest first. */
  async readAudit(before: number | null): Promise<AuditEntry[]> {
    return this.#ctx.store
      .all<Omit<AuditRow, 'previous' | 'hash' | 'shown'>>(
        'SELECT seq, at, event, ref, data, by, via FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?',
        before ?? Number.MAX_SAFE_INTEGER,
        auditPageSize,
      )
      .map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }))
  }
}
