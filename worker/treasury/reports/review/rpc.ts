import { RpcTarget } from 'cloudflare:workers'
import type { Context } from '../../core/context.ts'
import { refreshSender } from '../../outbox/webhooks/rpc.ts'
import { endMade } from './effects.ts'
import { listChanges, listMade } from './list.ts'

/** The owner's history of changes, and ending what somebody else has made. */
export class Review extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  /** `before`: the number of a row of the audit log; null for the newest. */
  async changes(before: number | null) {
    return listChanges(this.#ctx, before)
  }
  async made() {
    return listMade(this.#ctx)
  }
  /** Always possible, as pausing and deleting are. */
  async endMade(ids: number[]) {
    const ended = endMade(this.#ctx, ids)
    if (ended.webhooks > 0) await refreshSender(this.#ctx)
    return ended
  }
}
