import type { PersonId } from '#domain/accounts.ts'
import { mailboxOf, maskedEmail } from '#domain/email.ts'
import { maxMembers } from '#domain/limits.ts'
import { formatUsdc, type MicroUsdc } from '#domain/money.ts'
import { isRaised, type MemberRole } from '#domain/roles.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { Invitation, Member, People } from '#schemas/people.ts'
import { notFound, ok, type Refused, type Result, refuse } from '../../result.ts'
import { actorNow } from '../core/acting.ts'
import { accountName, roleNow } from '../core/callers.ts'
import { suspendedOwner } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import { memberOfPerson, presentMember } from '../core/storage/members.ts'
import type { MemberRow } from '../core/storage/memberTable.ts'
import type { Store } from '../core/storage/store.ts'
import { audit } from '../ledger/audit.ts'
import { delayDecisions, secondPersonAbove, setSecondPerson } from '../limits/secondPerson.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { auditAndReport } from '../outbox/reportedChanges.ts'

/** `id` and `tokenHash` are those of the token in the link. */
export type Invite = { id: string; tokenHash: string; email: string; role: MemberRole; passwordChecked: boolean }
/** The invitation that a token names. */
export type NamedInvitation = { id: string; tokenHash: string }
/** A person whose address is confirmed. */
export type Joining = NamedInvitation & { person: { id: PersonId; email: string; name: string | null } }

/** How long the link of an invitation works. */
const invitationMs = 14 * dayMs

const present = (store: Store): MemberRow[] =>
  store.all<MemberRow>("SELECT * FROM member WHERE status <> 'ended' ORDER BY joined_at IS NULL, joined_at, invited_at")

export function listPeople(ctx: Context): People {
  const { store } = ctx
  const you = actorNow().by
  return {
    account: accountOf(ctx),
    role: roleNow(ctx) ?? 'owner',
    members: present(store).map((row) => memberView(row, you)),
    secondPerson: secondPersonView(ctx),
  }
}

function secondPersonView(ctx: Context): People['secondPerson'] {
  const { next } = ctx.store.secondPerson
  const isComing = next !== null && next.at > ctx.now()
  return {
    above: shownAmount(secondPersonAbove(ctx)),
    next: isComing ? { above: shownAmount(next.above), at: isoOf(next.at) } : null,
  }
}

const shownAmount = (amount: MicroUsdc | null) => (amount === null ? null : formatUsdc(amount))

/** The owner sets above how much a second person is needed; null: none is. */
export function chooseSecondPerson(
  ctx: Context,
  { above, passwordChecked }: { above: MicroUsdc | null; passwordChecked: boolean },
): Result<People['secondPerson']> {
  const { store } = ctx
  return store.transaction((): Result<People['secondPerson']> => {
    const approvers = present(store).filter(({ status, role }) => status === 'active' && role === 'approver')
    if (above !== null && secondPersonAbove(ctx) === null && approvers.length === 0)
      return refuse('unprocessable', 'Invite an approver first: without one, nobody could agree.', { field: 'above' })
    if (!passwordChecked) return refuse('password_required', 'Enter your password.', { field: 'password' })
    const before = secondPersonView(ctx)
    setSecondPerson(ctx, above)
    const after = secondPersonView(ctx)
    auditAndReport(ctx, 'account.second_person_set', 'account', { before: before.above, ...after })
    for (const { id, status } of present(store)) if (status === 'active') enqueue(ctx, 'mail.second_person', id)
    return ok(after)
  })
}

const accountOf = ({ store }: Context) => ({
  name: accountName(store),
  ownerEmail: store.first<{ email: string }>('SELECT email FROM owner')?.email ?? '',
})

export const memberView = (row: MemberRow, you: string): Member => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  status: row.status === 'active' ? 'active' : 'invited',
  invitedAt: isoOf(row.invited_at),
  joinedAt: row.joined_at === null ? null : isoOf(row.joined_at),
  expiresAt: row.status === 'invited' ? isoOf(row.expires_at) : null,
  decidesFrom: row.joined_at === null ? null : isoOf(row.decides_from),
  isYou: row.person_id === you,
})

const passwordNeeded = refuse('password_required', 'Enter your password to let somebody act for this account.', {
  field: 'password',
})

/** Invites an address, or invites it again: its earlier link then stops working. */
export function invite(ctx: Context, input: Invite): Result<MemberRow> {
  const { store, now } = ctx
  return store.transaction(() => {
    const suspended = suspendedOwner(ctx)
    if (suspended) return suspended
    const mailbox = mailboxOf(input.email)
    if (mailbox === mailboxOf(accountOf(ctx).ownerEmail))
      return refuse('unprocessable', 'This is the address of the account’s owner.', { field: 'email' })
    const members = present(store)
    const known = members.find(({ email }) => mailboxOf(email) === mailbox)
    if (known?.status === 'active')
      return refuse('conflict', `${known.email} is already ${a(known.role)} of this account.`, { field: 'email' })
    if (!known && members.length >= maxMembers)
      return refuse('unprocessable', `At most ${maxMembers} people can act for an account besides its owner.`)
    if (!input.passwordChecked) return passwordNeeded
    if (known) end(ctx, known)
    const at = now()
    const row = {
      ...{ id: input.id, status: 'invited' as const, role: input.role, email: input.email },
      ...{ token_hash: input.tokenHash, invited_at: at, expires_at: at + invitationMs },
    }
    store.insert('member', row)
    auditAndReport(ctx, 'person.invited', input.id, { email: input.email, role: input.role })
    return ok(presentMember(store, input.id)!)
  })
}

const a = (role: MemberRole) => `${role === 'approver' ? 'an' : 'a'} ${role}`

/** What an invitation is to, for the person with this address. */
export function invitation(ctx: Context, named: NamedInvitation, email: string): Result<Invitation> {
  const open = openInvitation(ctx, named)
  if (!open.ok) return open
  const isTheirs = mailboxOf(open.value.email) === mailboxOf(email)
  return ok({
    account: { id: ctx.userId, ...accountOf(ctx) },
    role: open.value.role,
    email: isTheirs ? open.value.email : maskedEmail(open.value.email),
  })
}

export function isInvited(ctx: Context, named: NamedInvitation, email: string): boolean {
  const open = openInvitation(ctx, named)
  return open.ok && mailboxOf(open.value.email) === mailboxOf(email) && suspendedOwner(ctx) === null
}

function openInvitation({ store, now }: Context, { id, tokenHash }: NamedInvitation): Result<MemberRow> {
  const row = store.first<MemberRow>('SELECT * FROM member WHERE id = ?', id)
  if (row?.status === 'active') return refuse('conflict', 'This invitation has been used already.')
  if (row?.status !== 'invited' || row.token_hash !== tokenHash)
    return refuse('gone', 'This invitation was withdrawn. Ask the owner of the account for a new one.')
  if (row.expires_at <= now())
    return refuse('gone', 'This invitation is more than 14 days old. Ask the owner of the account for a new one.')
  return ok(row)
}

/** The person whose confirmed address was invited becomes a member. */
export function join(ctx: Context, { person, ...named }: Joining): Result<MemberRow> {
  const { store, now } = ctx
  return store.transaction(() => {
    const open = openInvitation(ctx, named)
    if (!open.ok) return open
    const { id, email, role } = open.value
    if (mailboxOf(person.email) !== mailboxOf(email))
      return refuse('forbidden', `This invitation is for ${maskedEmail(email)}. Sign in with that address to join.`)
    if (person.id === ctx.userId) return refuse('conflict', 'This is your own account.')
    store.run(
      "UPDATE member SET status = 'active', person_id = ?, name = ?, email = ?, token_hash = NULL, joined_at = ? WHERE id = ?",
      ...[person.id, person.name, person.email, now(), id],
    )
    delayDecisions(ctx, id, now())
    enqueue(ctx, 'membership', id)
    auditAndReport(ctx, 'person.joined', id, { email: person.email, role })
    return ok(presentMember(store, id)!)
  })
}

/** A role that may do more than the present one needs the password. */
export function changeRole(
  ctx: Context,
  id: string,
  { role, passwordChecked }: { role: MemberRole; passwordChecked: boolean },
): Result<MemberRow> {
  const { store } = ctx
  return store.transaction(() => {
    const row = presentMember(store, id)
    if (!row) return notFound('Person')
    if (row.role === role) return ok(row)
    if (isRaised(row.role, role) && !passwordChecked) return passwordNeeded
    store.run('UPDATE member SET role = ? WHERE id = ?', role, id)
    if (isRaised(row.role, role)) delayDecisions(ctx, id, ctx.now())
    auditAndReport(ctx, 'person.role_changed', id, { email: row.email, role, before: row.role })
    return ok({ ...row, role })
  })
}

/** From now on, nothing is done for this person. Null if there is nobody to remove. */
export function remove(ctx: Context, id: string): Refused | null {
  const { store } = ctx
  return store.transaction(() => {
    const row = presentMember(store, id)
    if (!row) return notFound('Person')
    end(ctx, row)
    audit(store, ctx.now(), 'person.removed', id, { email: row.email, role: row.role })
    return null
  })
}

/** The member who acts now leaves. */
export function leave(ctx: Context): Refused | null {
  const { store } = ctx
  return store.transaction(() => {
    const row = memberOfPerson(store, actorNow().by)
    if (!row) return refuse('conflict', 'An account is never without its owner.')
    end(ctx, row)
    audit(store, ctx.now(), 'person.left', row.id, { email: row.email, role: row.role })
    return null
  })
}

function end(ctx: Context, { id, person_id }: MemberRow): void {
  ctx.store.run("UPDATE member SET status = 'ended', token_hash = NULL, ended_at = ? WHERE id = ?", ctx.now(), id)
  if (person_id !== null) enqueue(ctx, 'membership', id)
}

/** Everybody is ended: the owner may have removed them since the time to which the account was restored. */
export function endAllMembers(ctx: Context): void {
  for (const row of present(ctx.store)) end(ctx, row)
}
