import { RpcTarget } from 'cloudflare:workers'
import type { Limits } from '#domain/limits.ts'
import { andThen, ok } from '../../result.ts'
import type { Context } from '../core/context.ts'
import type { Outbox } from '../delivery/flush.ts'
import { renewKeys } from '../keys/reseal.ts'
import { setLinkDown } from '../payouts/transitions.ts'
import type { Submissions } from '../relay/submissions.ts'
import { refreshSender, wakeSender } from '../webhooks/rpc.ts'
import { accountReport, readAudit } from './report.ts'
import { setSuspended } from './suspension.ts'
import { setUserLimits } from './userLimits.ts'

type Parts = { outbox: Outbox; submissions: Submissions; wakeUp: () => Promise<unknown> }

/** What operators do to one account. Nothing here moves money. */
export class Operators extends RpcTarget {
  readonly #ctx: Context
  readonly #parts: Parts

  constructor(ctx: Context, parts: Parts) {
    super()
    this.#ctx = ctx
    this.#parts = parts
  }

  async suspend(isSuspended: boolean) {
    const state = setSuspended(this.#ctx, isSuspended)
    await refreshSender(this.#ctx)
    return state
  }
  /** Missing limits stay as they are; null resets one to the deployment's. Applies from the next call on. */
  async setLimits(change: { [Name in keyof Limits]?: number | null }) {
    return setUserLimits(this.#ctx, change)
  }
  async report() {
    return accountReport(this.#ctx)
  }
  /** Does work that waits for an alarm immediately, and re-arms a lost alarm. */
  async wake() {
    const { schedule, now } = this.#ctx
    for (const kind of ['settle', 'outbox', 'expiry', 'scan'] as const) schedule(kind, now())
    this.#parts.submissions.start({ fromTables: true })
    await this.#parts.wakeUp()
    await wakeSender(this.#ctx)
  }
  /** Takes the payout's claim link down, or restores it. The sender can take the payout back in either case. */
  async setLinkDown(payoutId: string, isDown: boolean) {
    return andThen(setLinkDown(this.#ctx, payoutId, isDown), async ({ status }) => {
      await this.#parts.outbox.flush()
      return ok({ status, isDown })
    })
  }
  /** Re-seals values that are sealed under another KEK version, a thousand at most, and returns what is left. */
  async renewKeys() {
    return renewKeys(this.#ctx, () => this.#parts.outbox.syncReadModel())
  }
  /** At most 100 rows that are older than the row `before`, newest first. */
  async readAudit(before: number | null) {
    return readAudit(this.#ctx, before)
  }
}
