import { RpcTarget } from 'cloudflare:workers'
import { type ChangesWanted, changesAtOnce, changesPerPage } from '#schemas/change.ts'
import type { Context } from '../../core/context.ts'
import { refreshSender } from '../../outbox/webhooks/rpc.ts'
import { endMade } from './effects.ts'
import { listChanges } from './list.ts'

/** The owner's history of changes, and ending what somebody else has made. */
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
  /** Always possible, as pausing and deleting are. */
  async endMade(ids: number[]) {
    const ended = endMade(this.#ctx, ids)
    if (ended.webhooks > 0) await refreshSender(this.#ctx)
    return ended
  }
}
