import { RpcTarget } from 'cloudflare:workers'
import { type ChangesWanted, changesAtOnce, changesPerPage } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'
import { refreshSender } from '../../outbox/webhooks/rpc.ts'
import { endMade } from './effects.ts'
import { listChanges } from './list.ts'
import { logAfter } from './log.ts'

/** The owner's history of changes, the log behind it, and ending what somebody else has made. */
export class Review extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  /** `before`: the id of a change; null for the newest. */
  async changes(wanted: ChangesWanted, before: number | null, limit = changesPerPage) {
    return listChanges(this.#ctx, wanted, before, Math.min(limit, changesAtOnce))
  }
  /** A part of the whole log, oldest first. `after`: the number of a row. */
  async log(after: number) {
    return logAfter(this.#ctx, after)
  }
  /** Always possible, as pausing and deleting are. */
  async endMade(ids: number[]) {
    const ended = endMade(this.#ctx, ids)
    if (ended.webhooks > 0) await refreshSender(this.#ctx)
    return ended
  }
}
