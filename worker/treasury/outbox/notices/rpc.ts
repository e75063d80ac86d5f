import { RpcTarget } from 'cloudflare:workers'
import type { Context } from '../../core/context.ts'
import { listNotices, markRead, noticeCount } from './views.ts'

/** What the bell shows. */
export class Notices extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  /** Newest first. Listing notices does not mark them as read. */
  async list() {
    return listNotices(this.#ctx)
  }
  async count() {
    return noticeCount(this.#ctx)
  }
  /** Marks notices up to this id as read. */
  async markRead(upTo: number) {
    return markRead(this.#ctx, upTo)
  }
}
