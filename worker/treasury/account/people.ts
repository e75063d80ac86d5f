import { RpcTarget } from 'cloudflare:workers'
import type { AccountId } from '#domain/accounts.ts'
import type { MicroUsdc } from '#domain/money.ts'
import type { Call, MemberRole } from '#domain/roles.ts'
import { andThen, ok, type Result } from '../../result.ts'
import { actorNow } from '../core/acting.ts'
import { refuseRole } from '../core/callers.ts'
import type { Context } from '../core/context.ts'
import { takeOwnerChange } from '../limits/ownerActions.ts'
import type { Outbox } from '../outbox/delivery/flush.ts'
import type { Invite, Joining, NamedInvitation } from '../policies/members.ts'
import {
  changeRole,
  chooseSecondPerson,
  invitation,
  invite,
  isInvited,
  join,
  leave,
  listPeople,
  memberView,
  remove,
} from '../policies/members.ts'

/** Who acts for the account besides its owner. */
export class People extends RpcTarget {
  readonly #ctx: Context
  readonly #outbox: Outbox

  constructor(ctx: Context, outbox: Outbox) {
    super()
    this.#ctx = ctx
    this.#outbox = outbox
  }

  async list() {
    return listPeople(this.#ctx)
  }
  /** The reply has no link: the caller mails it. */
  async invite(input: Invite) {
    const invited = takeOwnerChange(this.#ctx) ?? invite(this.#ctx, input)
    return andThen(invited, (row) => ok(memberView(row, actorNow().by)))
  }
  async changeRole(id: string, input: { role: MemberRole; passwordChecked: boolean }) {
    const changed = takeOwnerChange(this.#ctx) ?? changeRole(this.#ctx, id, input)
    return andThen(changed, (row) => ok(memberView(row, actorNow().by)))
  }
  async remove(id: string): Promise<Result<null>> {
    return remove(this.#ctx, id) ?? (await this.#saved(null))
  }
  async leave(): Promise<Result<null>> {
    return leave(this.#ctx) ?? (await this.#saved(null))
  }
  /** Above how much in 24 hours a second person is needed; null: none is. */
  async chooseSecondPerson(input: { above: MicroUsdc | null; passwordChecked: boolean }) {
    return takeOwnerChange(this.#ctx) ?? chooseSecondPerson(this.#ctx, input)
  }
  /** Nothing to return: asks only whether the person who calls may do this, for what is not in the Treasury. */
  async mayCall(call: Call): Promise<Result<null>> {
    return refuseRole(this.#ctx, call) ?? ok(null)
  }

  /** Called for whoever has the link. */
  async invitation(named: NamedInvitation, email: string) {
    return invitation(this.#ctx, named, email)
  }
  /** The same, for an address that is not confirmed yet. A suspended owner lets nobody in. */
  async isInvited(named: NamedInvitation, email: string) {
    return isInvited(this.#ctx, named, email)
  }
  /** The same. The account can be opened when this returns, unless D1 was unreachable. */
  async join(input: Joining) {
    return andThen(join(this.#ctx, input), () => this.#saved({ accountId: this.#ctx.userId as AccountId }))
  }

  async #saved<Value>(value: Value): Promise<Result<Value>> {
    await this.#outbox.flush()
    return ok(value)
  }
}
