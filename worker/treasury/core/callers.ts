import { type AccountId, type CallerId, memberOf, type PersonId } from '#domain/accounts.ts'
import { type Call, isAllowed, type MemberRole, type Role } from '#domain/roles.ts'
import { endedCaller, type Refused, refuse } from '../../result.ts'
import { actorNow } from './acting.ts'
import type { Context } from './context.ts'
import { hasEnded } from './sessions.ts'
import type { Store } from './storage/store.ts'

/** What an account is called: by the name of its owner, or else their address. */
export const accountName = (store: Store): string => {
  const owner = store.first<{ name: string | null; email: string }>('SELECT name, email FROM owner')
  return owner?.name || owner?.email || 'this account'
}

const memberRole = (store: Store, personId: PersonId): MemberRole | null =>
  store.first<{ role: MemberRole }>("SELECT role FROM member WHERE person_id = ? AND status = 'active'", personId)
    ?.role ?? null

/**
 * Null if this caller may still do what every role may, and `call` if it is given. Otherwise `unauthenticated` for a login
 * session of the owner that has ended, `not_found` for a person who is no member any more, or `forbidden`.
 */
export function refuseCaller(ctx: Pick<Context, 'store'>, caller: CallerId, call?: Call): Refused | null {
  const personId = memberOf(caller)
  if (personId === null) return hasEnded(ctx, caller) ? endedCaller(caller) : null
  const role = memberRole(ctx.store, personId)
  if (role === null) return endedCaller(caller)
  return call === undefined || isAllowed(role, call) ? null : forbidden(ctx.store, role)
}

/** The person who calls: the account's owner, unless the caller is a member. */
export const personOf = ({ userId }: Pick<Context, 'userId'>, caller: CallerId): PersonId =>
  memberOf(caller) ?? (userId as AccountId as string as PersonId)

/** Refuses the person who acts now, if their role does not allow this, which depends on what the call was given. */
export function refuseRole(ctx: Context, call: Call): Refused | null {
  const role = roleNow(ctx)
  return role === null || isAllowed(role, call) ? null : forbidden(ctx.store, role)
}

/** The role of the person who acts now; null if nobody does that has one. */
export function roleNow({ store, userId }: Context): Role | null {
  const { by, via } = actorNow()
  if (via !== 'dashboard') return null
  return by === userId ? 'owner' : memberRole(store, by as PersonId)
}

const forbidden = (store: Store, role: Role): Refused =>
  refuse('forbidden', `Your role in ${accountName(store)}, ${role}, does not allow this.`)
