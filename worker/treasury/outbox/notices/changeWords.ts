import type { ChangeEvent } from '#domain/events.ts'
import { formatUsdcText, parseUsdc } from '#domain/money.ts'
import { secondPersonText } from '#domain/secondPerson.ts'
import { utcText } from '#domain/utcText.ts'
import { type HaltKind, haltText } from '#domain/walletHalt.ts'
import { type DisableReason, whyDisabled } from '#domain/webhookRules.ts'
import type { NoticeSubject } from '#schemas/notice.ts'
import type { SecondPerson } from '#schemas/people.ts'
import { oneLine } from '../../../notifications/format.ts'
import type { Context } from '../../core/context.ts'
import { formatColumn } from '../../core/storage/columns.ts'
import type { WalletRow } from '../../core/storage/rows.ts'
import { agentOf, groupOf, moneyTo, short, walletNameOf } from './names.ts'

/** A recorded amount, as in all sentences: '1500' → '1500.00 USDC'. */
function usdc(recorded: unknown): string {
  const amount = parseUsdc(String(recorded))
  return `${amount === null ? recorded : formatUsdcText(amount)} USDC`
}

/** An event as its row in the audit log has it. */
export type Recorded = { event: ChangeEvent; ref: string; data: Record<string, unknown> }
/** A sentence without its subject's actor, which stands beside it, and what it links to; null if that is gone. */
export type ChangeWords = { text: string; detail: string | null; subject: NoticeSubject | null }

/** What a change was, with the current names of things, or those that they had when they were deleted. */
export function changeWords(ctx: Context, recorded: Recorded): ChangeWords {
  const { event, ref } = recorded
  if (event.startsWith('webhook.')) return ofWebhook(ctx, recorded)
  if (event.startsWith('agent.')) return ofAgent(ctx, recorded)
  if (event.startsWith('group.')) return ofGroup(ctx, recorded)
  if (event.startsWith('wallet.')) return ofWallet(ctx, recorded)
  if (event.startsWith('account.')) return ofAccount(recorded)
  if (event.startsWith('contact.')) return ofContact(recorded)
  if (event.startsWith('action.')) return ofAction(ctx, recorded)
  if (event.startsWith('connection.')) return ofConnection(ctx, recorded)
  if (event.startsWith('grant.')) return ofGrant(ctx, recorded)
  if (event.startsWith('person.')) return ofPerson(recorded)
  if (event.startsWith('run.')) return ofRun(recorded)
  if (event === 'approval.approved') return ofApproval(ctx, ref)
  return ofPayouts(recorded)
}

const said = (text: string, detail: string | null = null, subject: NoticeSubject | null = null): ChangeWords => ({
  text,
  detail,
  subject,
})

function ofWebhook(ctx: Context, { event, ref, data }: Recorded): ChangeWords {
  const host = String(data.host)
  const subject: NoticeSubject | null = ctx.store.webhook(ref) ? { type: 'webhook', id: ref } : null
  switch (event) {
    case 'webhook.created':
      return said(`A webhook to ${host} was added`, receives(data.events), subject)
    case 'webhook.changed':
      return said(
        `The webhook to ${host} was changed`,
        data.enabled === false ? 'It is switched off.' : receives(data.events),
        subject,
      )
    case 'webhook.secret_rotated':
      return said(`The webhook to ${host} got a new secret`, null, subject)
    case 'webhook.disabled':
      return said(
        `The webhook to ${host} was switched off`,
        `Because ${whyDisabled[data.reason as DisableReason]}.`,
        subject,
      )
    default:
      return said(`The webhook to ${host} was deleted`)
  }
}

function ofRun({ event, ref, data }: Recorded): ChangeWords {
  const title = `“${oneLine(String(data.title ?? ''), 80) ?? 'A run'}”`
  const subject: NoticeSubject = { type: 'run', id: ref }
  switch (event) {
    case 'run.approved':
      return said(`The payout run ${title} was approved`, usdc(data.amount), subject)
    case 'run.denied':
      return said(`The payout run ${title} was denied`, data.reason ? String(data.reason) : null, subject)
    case 'run.stopped':
      return said(`The payout run ${title} was stopped`, null, subject)
    default:
      return said(
        data.every
          ? `The payout run ${title} is repeated each ${data.every}`
          : `The payout run ${title} is no longer repeated`,
        null,
        subject,
      )
  }
}

function ofPerson({ event, ref, data }: Recorded): ChangeWords {
  const subject: NoticeSubject = { type: 'people', id: ref }
  const { email, role, before } = data as Record<string, string>
  switch (event) {
    case 'person.invited':
      return said(`${email} was invited as ${role}`, null, subject)
    case 'person.joined':
      return said(`${email} joined as ${role}`, null, subject)
    case 'person.role_changed':
      return said(`${email} is ${role} now`, `Before: ${before}.`, subject)
    case 'person.left':
      return said(`${email}, ${role}, left the account`, null, subject)
    default:
      return said(`${email}, ${role}, was removed`, null, subject)
  }
}

function receives(events: unknown): string | null {
  const names = Array.isArray(events) ? events.map(String) : []
  if (names.includes('*')) return 'It receives every event, with recipients and amounts.'
  return names.length === 0
    ? null
    : `It receives ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''}.`
}

function ofAgent(ctx: Context, { event, ref, data }: Recorded): ChangeWords {
  const name = agentOf(ctx, ref)
  const agent = ctx.store.agent(ref)
  const subject: NoticeSubject | null = agent ? { type: 'group', id: agent.group_id } : null
  switch (event) {
    case 'agent.created':
      return said(`${name} was added as an agent`, `It spends from ${groupOf(ctx, String(data.group))}.`, subject)
    case 'agent.changed':
      return said(`An agent was renamed to ${oneLine(String(data.name), 60)}`, null, subject)
    case 'agent.credential_replaced':
      return said(`${name} got a new ${data.kind === 'secret' ? 'client secret' : 'API key'}`, null, subject)
    case 'agent.credential_ended':
      return said(`The new ${data.kind === 'secret' ? 'client secret' : 'API key'} of ${name} was ended`, null, subject)
    case 'agent.paused':
      return said(`${name} was paused`, null, subject)
    case 'agent.resumed':
      return said(`${name} was resumed`, null, subject)
    default:
      return said(`${name} was deleted`)
  }
}

function ofGroup(ctx: Context, { event, ref, data }: Recorded): ChangeWords {
  const name = groupOf(ctx, ref)
  const subject: NoticeSubject | null = ctx.store.group(ref) ? { type: 'group', id: ref } : null
  const limit = data.limit === null ? 'Its budget has no limit.' : `Its budget is ${usdc(data.limit)}.`
  switch (event) {
    case 'group.created':
      return said(`${name} was added`, limit, subject)
    case 'group.changed':
      return said(
        `The rules of ${name} were changed`,
        [limit, contactsChanged(data)].filter(Boolean).join(' '),
        subject,
      )
    case 'group.topped_up':
      return said(`The budget of ${name} was raised by ${usdc(data.amount)}`, limit, subject)
    case 'group.paused':
      return said(`${name} was paused`, null, subject)
    case 'group.resumed':
      return said(`${name} was resumed`, null, subject)
    case 'group.confirmed':
      return said(`The rules of ${name} were confirmed by a second person`, null, subject)
    default:
      return said(`${name} was deleted`)
  }
}

function contactsChanged({ added, removed }: Record<string, unknown>): string | null {
  const parts = [
    Array.isArray(added) && `${added.length} added to`,
    Array.isArray(removed) && `${removed.length} removed from`,
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? null : `Contacts: ${parts.join(', ')} its whitelist.`
}

function ofWallet(ctx: Context, { event, ref, data }: Recorded): ChangeWords {
  const wallet = ctx.store.wallet(ref)!
  const name = walletNameOf(wallet)
  const first = oneLine(wallet.name, 60) ?? `Wallet ${short(wallet.address)}`
  const subject: NoticeSubject | null = wallet.status === 'deleted' ? null : { type: 'wallet', id: ref }
  switch (event) {
    case 'wallet.created':
      return said(`${first} was added as a smart wallet`, `Its owner is ${short(wallet.owner)}.`, subject)
    case 'wallet.imported':
      return said(`${first} was imported`, `Its address is ${short(wallet.address)}.`, subject)
    case 'wallet.renamed':
      return said(`A wallet was renamed to ${name}`, null, subject)
    case 'wallet.paused':
      return said(`${first} was paused`, null, subject)
    case 'wallet.resumed':
      return said(`${first} was resumed`, null, subject)
    case 'wallet.key_viewed':
      return said(`The private key of ${name} was shown`, null, subject)
    case 'wallet.key_refused':
      return said(`A wrong password was entered for the private key of ${name}`, null, subject)
    case 'wallet.halted':
      return said(`Payments from ${name} were stopped`, haltText(data.kind as HaltKind, wallet.kind).what, subject)
    default:
      return said(`${first} was deleted`, `Its address was ${short(wallet.address)}.`)
  }
}

function ofSecondPerson(data: Record<string, unknown>): ChangeWords {
  const { above, next } = data as SecondPerson
  return said(
    `From now on, ${secondPersonText(above)}`,
    next && `From ${utcText(Date.parse(next.at))}, ${secondPersonText(next.above)}.`,
  )
}

function ofAccount({ event, ref, data }: Recorded): ChangeWords {
  switch (event) {
    case 'account.paused':
      return said('All agents were paused')
    case 'account.resumed':
      return said('All agents were resumed')
    case 'account.password_changed':
      return said('Your password was changed')
    case 'account.address_changed':
      return data.address === null
        ? said('The linked crypto wallet was removed')
        : said(`The crypto wallet ${short(String(data.address))} was linked`)
    case 'account.approval_limit_set':
      return data.now === null
        ? said('The password is no longer asked for, whatever the amount')
        : said(`The password is asked for above ${usdc(data.now)}`)
    case 'account.second_person_set':
      return ofSecondPerson(data)
    case 'account.limits_set':
      return said('The operator changed the limits of your account')
    case 'account.suspended':
      return said('Your account was suspended')
    case 'account.unsuspended':
      return said('Your account is no longer suspended')
    default:
      return said('Your account was restored from a backup', null, { type: 'restore', id: ref })
  }
}

function ofContact({ event, data }: Recorded): ChangeWords {
  const name = oneLine(typeof data.name === 'string' ? data.name : null, 60) ?? 'A contact'
  switch (event) {
    case 'contact.confirmed':
      return said(`${name} was confirmed for a whitelist`)
    case 'contact.stale':
      return said(`${name} was changed`, 'Agents can’t pay this contact until it is confirmed.')
    default:
      return said(`${name} was deleted`, 'It was on a whitelist.')
  }
}

const keyActs: Record<string, string> = {
  rotate: 'A new session key was requested for',
  setSession: 'A new session key was requested for',
  revokeSession: 'The session key was revoked of',
  disableRotation: 'Rotation by Bursar was disabled for',
  withdraw: 'A withdrawal was signed from',
}

function ofAction(ctx: Context, { ref, data }: Recorded): ChangeWords {
  const wallet = ctx.store.wallet(ctx.store.walletAction(ref)?.wallet_id ?? String(data.wallet)) as WalletRow
  const limit = typeof data.limit === 'string' ? `With a limit of ${usdc(data.limit)}.` : null
  return said(`${keyActs[String(data.kind)]} ${walletNameOf(wallet)}`, limit, { type: 'wallet', id: wallet.id })
}

function ofConnection(ctx: Context, { event, ref, data }: Recorded): ChangeWords {
  const agent = agentOf(ctx, String(data.agent))
  return event === 'connection.created'
    ? said(`${data.app} was connected as ${agent}`, null, { type: 'connection', id: ref })
    : said(`${data.app} can no longer act as ${agent}`)
}

function ofGrant(ctx: Context, { event, ref }: Recorded): ChangeWords {
  const grant = ctx.store.grant(ref)!
  const to = oneLine(grant.contact_name, 60) ?? short(grant.address)
  const agent = agentOf(ctx, grant.agent_id)
  return event === 'grant.created'
    ? said(`${agent} may pay ${to} without asking`, `Up to ${usdc(formatColumn(grant.spend_limit))} in total.`)
    : said(`${agent} may no longer pay ${to} without asking`)
}

function ofApproval(ctx: Context, id: string): ChangeWords {
  const approval = ctx.store.approval(id)!
  const payment = approval.payment_id === null ? null : ctx.store.payment(approval.payment_id)
  const subject: NoticeSubject = { type: 'approval', id }
  return payment
    ? said(`${moneyTo(ctx, payment)} was approved`, `Asked for by ${agentOf(ctx, approval.agent_id)}.`, subject)
    : said(`More budget for ${groupOf(ctx, approval.group_id)} was approved`, null, subject)
}

function ofPayouts({ event, ref, data }: Recorded): ChangeWords {
  if (event === 'payout.reclaim_all')
    return said('Every unclaimed payout was taken back', `${data.count}, of ${usdc(data.total)} together.`)
  const subject: NoticeSubject = { type: 'payout', id: ref }
  return event === 'payout.link_taken_down'
    ? said('The operator took the link of a payout down', null, subject)
    : said('The operator put the link of a payout back', null, subject)
}
