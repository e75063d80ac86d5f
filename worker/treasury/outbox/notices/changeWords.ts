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
import { rulesChanged } from './rulesChanged.ts'

/** An event as its row in the audit log has it. `at` (ms) and `seq`: its place, for what was there before. */
export type Recorded = { event: ChangeEvent; ref: string; data: Record<string, unknown>; at?: number; seq?: number }
/** A sentence without its subject's actor, which stands beside it, and what it links to; null if that is gone. */
export type ChangeWords = { text: string; detail: string | null; subject: NoticeSubject | null }

/** What a change was, with the current names of things, or those that they had when they were deleted. */
export const changeWords = (ctx: Context, recorded: Recorded): ChangeWords => words[recorded.event](ctx, recorded)

type Said = (ctx: Context, recorded: Recorded) => ChangeWords

const said = (text: string, detail: string | null = null, subject: NoticeSubject | null = null): ChangeWords => ({
  text,
  detail,
  subject,
})

/** Whether what it is about is gone. */
const isEnd = (event: ChangeEvent) => event.endsWith('.deleted')

/** A recorded amount, as in all sentences: '1500' → '1500.00 USDC'. */
function usdc(recorded: unknown): string {
  const amount = parseUsdc(String(recorded))
  return `${amount === null ? recorded : formatUsdcText(amount)} USDC`
}

/** The texts of a webhook's, an agent's, … change need the same names. */
const ofWebhook =
  (say: (host: string, data: Recorded['data']) => [text: string, detail?: string | null]): Said =>
  (ctx, { ref, data }) => {
    const [text, detail = null] = say(String(data.host), data)
    return said(text, detail, ctx.store.webhook(ref) ? { type: 'webhook', id: ref } : null)
  }

const ofPerson =
  (say: (person: Record<string, string>) => [text: string, detail?: string]): Said =>
  (_, { ref, data }) => {
    const [text, detail = null] = say(data as Record<string, string>)
    return said(text, detail, { type: 'people', id: ref })
  }

const ofAgent =
  (say: (name: string, data: Recorded['data'], ctx: Context) => [text: string, detail?: string]): Said =>
  (ctx, { ref, data }) => {
    const agent = ctx.store.agent(ref)
    const [text, detail = null] = say(agentOf(ctx, ref), data, ctx)
    return said(text, detail, agent ? { type: 'group', id: agent.group_id } : null)
  }

const ofGroup =
  (say: (name: string, ctx: Context, recorded: Recorded) => [text: string, detail?: string | null]): Said =>
  (ctx, recorded) => {
    const { ref } = recorded
    const [text, detail = null] = say(groupOf(ctx, ref), ctx, recorded)
    return said(text, detail, ctx.store.group(ref) ? { type: 'group', id: ref } : null)
  }

/** `first`: the name at the beginning of a sentence. */
const ofWallet =
  (
    say: (
      names: { first: string; name: string },
      wallet: WalletRow,
      data: Recorded['data'],
    ) => [text: string, detail?: string | null],
  ): Said =>
  (ctx, { event, ref, data }) => {
    const wallet = ctx.store.wallet(ref)!
    const first = oneLine(wallet.name, 60) ?? `Wallet ${short(wallet.address)}`
    const [text, detail = null] = say({ first, name: walletNameOf(wallet) }, wallet, data)
    return said(text, detail, isEnd(event) || wallet.status === 'deleted' ? null : { type: 'wallet', id: ref })
  }

const ofContact =
  (say: (name: string) => [text: string, detail?: string]): Said =>
  (_, { data }) =>
    said(...say(oneLine(typeof data.name === 'string' ? data.name : null, 60) ?? 'A contact'))

const keyActs: Record<string, string> = {
  rotate: 'A new session key was requested for',
  setSession: 'A new session key was requested for',
  revokeSession: 'The session key was revoked of',
  disableRotation: 'Rotation by Bursar was disabled for',
  withdraw: 'A withdrawal was signed from',
}

const ofKey: Said = (ctx, { ref, data }) => {
  const wallet = ctx.store.wallet(ctx.store.walletAction(ref)?.wallet_id ?? String(data.wallet)) as WalletRow
  const limit = typeof data.limit === 'string' ? `With a limit of ${usdc(data.limit)}.` : null
  return said(`${keyActs[String(data.kind)]} ${walletNameOf(wallet)}`, limit, { type: 'wallet', id: wallet.id })
}

const ofGrant =
  (say: (agent: string, to: string, limit: string) => [text: string, detail?: string]): Said =>
  (ctx, { ref }) => {
    const grant = ctx.store.grant(ref)!
    const to = oneLine(grant.contact_name, 60) ?? short(grant.address)
    return said(...say(agentOf(ctx, grant.agent_id), to, usdc(formatColumn(grant.spend_limit))))
  }

const ofApproval: Said = (ctx, { ref }) => {
  const approval = ctx.store.approval(ref)!
  const payment = approval.payment_id === null ? null : ctx.store.payment(approval.payment_id)
  const subject: NoticeSubject = { type: 'approval', id: ref }
  return payment
    ? said(`${moneyTo(ctx, payment)} was approved`, `Asked for by ${agentOf(ctx, approval.agent_id)}.`, subject)
    : said(`More budget for ${groupOf(ctx, approval.group_id)} was approved`, null, subject)
}

const ofRun =
  (say: (title: string, data: Recorded['data']) => [text: string, detail?: string | null]): Said =>
  (_, { ref, data }) => {
    const [text, detail = null] = say(`“${oneLine(String(data.title ?? ''), 80) ?? 'A run'}”`, data)
    return said(text, detail, { type: 'run', id: ref })
  }

function receives(events: unknown): string | null {
  const names = Array.isArray(events) ? events.map(String) : []
  if (names.includes('*')) return 'It receives every event, with recipients and amounts.'
  return names.length === 0
    ? null
    : `It receives ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and more' : ''}.`
}

const budgetOf = ({ limit }: Recorded['data']) =>
  limit === null ? 'Its budget has no limit.' : `Its budget is ${usdc(limit)}.`
const keyOf = ({ kind }: Recorded['data']) => (kind === 'secret' ? 'client secret' : 'API key')

/**
 * The text of each change: the bell, mails, the history and its file take it from here. An event that is new to the history does
 * not compile without one.
 */
const words: Record<ChangeEvent, Said> = {
  'payout.reclaim_all': (_, { data }) =>
    said('Every unclaimed payout was taken back', `${data.count}, of ${usdc(data.total)} together.`),
  'payout.link_taken_down': (_, { ref: id }) =>
    said('The operator took the link of a payout down', null, { type: 'payout', id }),
  'payout.link_restored': (_, { ref: id }) =>
    said('The operator put the link of a payout back', null, { type: 'payout', id }),

  'approval.approved': ofApproval,
  'run.approved': ofRun((title, { amount }) => [`The payout run ${title} was approved`, usdc(amount)]),
  'run.denied': ofRun((title, { reason }) => [
    `The payout run ${title} was denied`,
    reason ? oneLine(String(reason), 200) : null,
  ]),
  'run.stopped': ofRun((title) => [`The payout run ${title} was stopped`]),
  'run.repeat_set': ofRun((title, { every }) => [
    every ? `The payout run ${title} is repeated each ${every}` : `The payout run ${title} is no longer repeated`,
  ]),
  'grant.created': ofGrant((agent, to, limit) => [`${agent} may pay ${to} without asking`, `Up to ${limit} in total.`]),
  'grant.ended': ofGrant((agent, to) => [`${agent} may no longer pay ${to} without asking`]),

  'wallet.created': ofWallet(({ first }, { owner }) => [
    `${first} was added as a smart wallet`,
    `Its owner is ${short(owner)}.`,
  ]),
  'wallet.imported': ofWallet(({ first }, { address }) => [
    `${first} was imported`,
    `Its address is ${short(address)}.`,
  ]),
  'wallet.renamed': ofWallet(({ name }) => [`A wallet was renamed to ${name}`]),
  'wallet.deleted': ofWallet(({ first }, { address }) => [
    `${first} was deleted`,
    `Its address was ${short(address)}.`,
  ]),
  'wallet.paused': ofWallet(({ first }) => [`${first} was paused`]),
  'wallet.resumed': ofWallet(({ first }) => [`${first} was resumed`]),
  'wallet.halted': ofWallet(({ name }, { kind }, data) => [
    `Payments from ${name} were stopped`,
    haltText(data.kind as HaltKind, kind).what,
  ]),
  'wallet.key_viewed': ofWallet(({ name }) => [`The private key of ${name} was shown`]),
  'wallet.key_refused': ofWallet(({ name }) => [`A wrong password was entered for the private key of ${name}`]),
  'action.draining': ofKey,
  'action.offered': ofKey,
  'action.submitted': ofKey,

  'agent.created': ofAgent((name, { group }, ctx) => [
    `${name} was added as an agent`,
    `It spends from ${groupOf(ctx, String(group))}.`,
  ]),
  'agent.changed': ofAgent((_, data) => [`An agent was renamed to ${oneLine(String(data.name), 60)}`]),
  'agent.deleted': ofAgent((name) => [`${name} was deleted`]),
  'agent.credential_replaced': ofAgent((name, data) => [`${name} got a new ${keyOf(data)}`]),
  'agent.credential_ended': ofAgent((name, data) => [`The new ${keyOf(data)} of ${name} was ended`]),
  'agent.paused': ofAgent((name) => [`${name} was paused`]),
  'agent.resumed': ofAgent((name) => [`${name} was resumed`]),
  'connection.created': (ctx, { ref: id, data }) =>
    said(`${data.app} was connected as ${agentOf(ctx, String(data.agent))}`, null, { type: 'connection', id }),
  'connection.revoked': (ctx, { data }) => said(`${data.app} can no longer act as ${agentOf(ctx, String(data.agent))}`),

  'group.created': ofGroup((name, _, { data }) => [`${name} was added`, budgetOf(data)]),
  'group.changed': ofGroup((name, { store }, recorded) => [
    `The rules of ${name} were changed`,
    rulesChanged(store, recorded) ?? budgetOf(recorded.data),
  ]),
  'group.topped_up': ofGroup((name, _, { data }) => [
    `The budget of ${name} was raised by ${usdc(data.amount)}`,
    budgetOf(data),
  ]),
  'group.deleted': ofGroup((name) => [`${name} was deleted`]),
  'group.paused': ofGroup((name) => [`${name} was paused`]),
  'group.resumed': ofGroup((name) => [`${name} was resumed`]),
  'group.confirmed': ofGroup((name) => [`The rules of ${name} were confirmed by a second person`]),
  'contact.confirmed': ofContact((name) => [`${name} was confirmed for a whitelist`]),
  'contact.stale': ofContact((name) => [`${name} was changed`, 'Agents can’t pay this contact until it is confirmed.']),
  'contact.removed': ofContact((name) => [`${name} was deleted`, 'It was on a whitelist.']),

  'account.paused': () => said('All agents were paused'),
  'account.resumed': () => said('All agents were resumed'),
  'account.restored': (_, { ref: id }) =>
    said('Your account was restored from a backup', null, { type: 'restore', id }),
  'account.suspended': () => said('Your account was suspended'),
  'account.unsuspended': () => said('Your account is no longer suspended'),
  'account.approval_limit_set': (_, { data }) =>
    data.now === null
      ? said('The password is no longer asked for, whatever the amount')
      : said(`The password is asked for above ${usdc(data.now)}`),
  'account.second_person_set': (_, { data }) => {
    const { above, next } = data as SecondPerson
    return said(
      `From now on, ${secondPersonText(above)}`,
      next && `From ${utcText(Date.parse(next.at))}, ${secondPersonText(next.above)}.`,
    )
  },
  'account.password_changed': () => said('Your password was changed'),
  'account.address_changed': (_, { data }) =>
    data.address === null
      ? said('The linked crypto wallet was removed')
      : said(`The crypto wallet ${short(String(data.address))} was linked`),
  'account.limits_set': () => said('The operator changed the limits of your account'),

  'person.invited': ofPerson(({ email, role }) => [`${email} was invited as ${role}`]),
  'person.joined': ofPerson(({ email, role }) => [`${email} joined as ${role}`]),
  'person.role_changed': ofPerson(({ email, role, before }) => [`${email} is ${role} now`, `Before: ${before}.`]),
  'person.removed': ofPerson(({ email, role }) => [`${email}, ${role}, was removed`]),
  'person.left': ofPerson(({ email, role }) => [`${email}, ${role}, left the account`]),

  'webhook.created': ofWebhook((host, { events }) => [`A webhook to ${host} was added`, receives(events)]),
  'webhook.changed': ofWebhook((host, { enabled, events }) => [
    `The webhook to ${host} was changed`,
    enabled === false ? 'It is switched off.' : receives(events),
  ]),
  'webhook.deleted': ofWebhook((host) => [`The webhook to ${host} was deleted`]),
  'webhook.secret_rotated': ofWebhook((host) => [`The webhook to ${host} got a new secret`]),
  'webhook.disabled': ofWebhook((host, { reason }) => [
    `The webhook to ${host} was switched off`,
    `Because ${whyDisabled[reason as DisableReason]}.`,
  ]),
}
