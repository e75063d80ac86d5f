import { RpcTarget } from 'cloudflare:workers'
import type { Owner } from '../../db/keptAccounts.ts'
import type { Context } from '../core/context.ts'
import { compareContacts } from './contacts.ts'
import { keepOwner, keptOwner } from './owner.ts'
import { reproject } from './reproject.ts'
import type { ReprojectCursor } from './rpcTypes.ts'

/** The calls that make D1 replaceable. */
export class Account extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  /** Stores the owner's account data, unless a later state is known. */
  async keepOwner(owner: Owner) {
    keepOwner(this.#ctx, owner)
  }
  /** When the owner's password was set (ms), as far as the Treasury knows. An older password is no longer valid. */
  async passwordEpoch() {
    return keptOwner(this.#ctx)?.passwordAt ?? 0
  }
  /**
   * Sends a part of what D1 has of this account again: first the account itself, then a hundred payouts per call. Safe to
   * repeat and to interrupt. `isDry` only counts.
   */
  async reproject(input: { from: ReprojectCursor | null; isDry: boolean }) {
    return reproject(this.#ctx, input)
  }
  /** Called after D1 was restored to an earlier time. */
  async compareContacts(isDry: boolean) {
    return compareContacts(this.#ctx, isDry)
  }
}
