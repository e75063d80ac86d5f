/**
 * The events of an account. The audit log, webhooks, the bell and emails use the same names; docs/events.md has the same
 * list. A name is never reused for another event, because audit logs keep it forever.
 */
import { bursar } from './actor.ts'

/**
 * Where an event goes. `changes`: the owner's history of changes. `mail` goes to the owner or the recipient, as described in
 * docs/events.md.
 */
export type Audience = 'audit' | 'changes' | 'webhook' | 'bell' | 'mail'
type EventInfo = { text: string; to: readonly Audience[] }

const audit = ['audit'] as const
const auditAndWebhook = ['audit', 'webhook'] as const
const change = ['audit', 'changes'] as const
/** The owner is told, in case somebody else did it. */
const toldChange = ['audit', 'changes', 'bell', 'mail'] as const

export const events = {
  'payment.accepted': { text: 'A payment passed every rule; its amount is held.', to: auditAndWebhook },
  'payment.refused': { text: 'A rule refused a payment; nothing is held.', to: ['audit', 'webhook', 'bell'] },
  'payment.signed': { text: 'A payment was signed and is being sent to the chain.', to: auditAndWebhook },
  'payment.confirmed': { text: 'A send is confirmed on chain.', to: auditAndWebhook },
  'payment.funded': { text: 'The money of a payout is at its own address.', to: auditAndWebhook },
  'payment.failed': {
    text: 'A payment can no longer happen; its amount is released.',
    to: ['audit', 'webhook', 'bell'],
  },
  'payment.cancelled': { text: 'A payment was cancelled before it was signed.', to: auditAndWebhook },
  'payment.undone': {
    text: 'A block left the chain; the payment is back in its previous state.',
    to: auditAndWebhook,
  },
  'payment.cancellation_seen': { text: 'The owner of an imported key cancelled the authorization.', to: audit },

  'payout.ready': { text: 'A payout can be claimed; link and code are sent.', to: ['audit', 'webhook', 'mail'] },
  'payout.reminded': { text: 'The recipient of an unclaimed payout was reminded.', to: ['mail'] },
  'payout.claim_started': { text: 'The recipient has chosen an address.', to: auditAndWebhook },
  'payout.reclaim_started': { text: 'A payout is being returned to its sender.', to: auditAndWebhook },
  'payout.withdrawn': { text: 'The recipient has the money.', to: ['audit', 'webhook', 'bell', 'mail'] },
  'payout.reclaimed': { text: 'The sender has the money back.', to: ['audit', 'webhook', 'bell', 'mail'] },
  'payout.lapsed': { text: 'A claim or reclaim did not reach the chain in time; it may be tried again.', to: audit },
  'payout.unready': { text: 'A block left the chain; the payout is no longer ready to be claimed.', to: audit },
  'payout.failed': { text: 'A payout was never funded.', to: audit },
  'payout.released': { text: 'The return of a payout is final; its budget is free again.', to: audit },
  'payout.code_renewed': { text: 'A payout got a new code, which was sent.', to: ['audit', 'mail'] },
  'payout.receipt_requested': { text: 'The recipient asked for a receipt, which was sent.', to: ['audit', 'mail'] },
  'payout.reclaim_all': { text: 'The owner took back every unclaimed payout.', to: change },
  'payout.link_taken_down': { text: 'An operator took a claim link down.', to: change },
  'payout.link_restored': { text: 'An operator put a claim link back.', to: change },

  'approval.requested': {
    text: 'A payment, or a request for more budget, waits for the owner’s decision.',
    to: ['audit', 'webhook', 'bell', 'mail'],
  },
  'approval.approved': { text: 'The owner approved a payment.', to: ['audit', 'changes', 'webhook'] },
  'approval.denied': { text: 'The owner denied a payment.', to: auditAndWebhook },
  'approval.expired': { text: 'The owner did not decide in time; nothing was paid.', to: ['audit', 'webhook', 'bell'] },
  'approval.cancelled': { text: 'A payment was cancelled before it was decided.', to: auditAndWebhook },
  'run.created': { text: 'Somebody uploaded a payout run.', to: audit },
  'run.checked': { text: 'Every row of a payout run was checked.', to: audit },
  'run.waiting': { text: 'A payout run waits for a decision.', to: ['audit', 'webhook', 'bell', 'mail'] },
  'run.approved': { text: 'A payout run was approved; its sum is held.', to: change },
  'run.denied': { text: 'A payout run was denied; nothing was paid.', to: ['audit', 'changes', 'bell', 'mail'] },
  'run.expired': {
    text: 'Nobody decided about a payout run in time; nothing was paid.',
    to: ['audit', 'bell', 'mail'],
  },
  'run.cancelled': { text: 'A payout run was cancelled before it was decided.', to: audit },
  'run.row_failed': { text: 'The recipient or amount of a row was refused; the row is not paid.', to: audit },
  'run.stopped': {
    text: 'A payout run was stopped; what was not paid is released. Webhooks get `run.finished`.',
    to: ['audit', 'changes', 'bell', 'mail'],
  },
  'run.finished': {
    text: 'A payout run has ended: no row waits, and no payment of it is on its way.',
    to: ['audit', 'webhook', 'bell', 'mail'],
  },
  'run.repeat_set': { text: 'A payout run is made again each week or month, or no longer.', to: change },
  'grant.created': { text: 'The owner allowed one agent to pay one recipient without asking.', to: change },
  'grant.ended': { text: 'A permission to pay a recipient without asking ended.', to: change },

  'wallet.created': { text: 'A smart wallet was requested.', to: change },
  'wallet.imported': { text: 'A plain key was imported.', to: toldChange },
  'wallet.active': { text: 'A smart wallet is deployed.', to: audit },
  'wallet.failed': { text: 'A wallet could not be deployed.', to: ['audit', 'bell'] },
  'wallet.deploy_removed': { text: 'A block with the deployment of a wallet left the chain.', to: audit },
  'wallet.deploy_resumed': { text: 'The deployment of a wallet is retried.', to: audit },
  'wallet.renamed': { text: 'A wallet was renamed.', to: change },
  'wallet.deleted': { text: 'A wallet was removed from the account.', to: toldChange },
  'wallet.paused': { text: 'The owner paused a wallet.', to: change },
  'wallet.resumed': { text: 'A wallet can pay again.', to: change },
  'wallet.halted': { text: 'Bursar stopped payments from a wallet.', to: ['audit', 'changes', 'bell', 'mail'] },
  'wallet.deposited': { text: 'Money arrived in a wallet.', to: audit },
  'wallet.returned': { text: 'The money of a payout was returned to its wallet.', to: audit },
  'wallet.withdrawn': { text: 'Money left a wallet without Bursar.', to: ['audit', 'bell', 'mail'] },
  'wallet.owner_withdrew': { text: 'A withdrawal that the owner signed in Bursar left the wallet.', to: audit },
  'wallet.refill_refused': {
    text: 'Bursar can’t renew the purchase allowance of a wallet; told once for each session key.',
    to: ['audit', 'bell', 'mail'],
  },
  'wallet.reorganized': { text: 'Blocks left the chain; their bookings were undone.', to: audit },
  'wallet.key_viewed': { text: 'The owner viewed an imported key.', to: toldChange },
  'wallet.key_refused': { text: 'An imported key was requested with a wrong password.', to: change },
  'booking.undone': { text: 'A block left the chain; a deposit or withdrawal in it is no longer booked.', to: audit },
  'session.adopted': { text: 'A session key took effect.', to: audit },
  'session.ended': { text: 'A session key was revoked.', to: audit },
  'session.ending': { text: 'A session key ends in 7 days, or in 1 day.', to: ['audit', 'bell', 'mail'] },
  'session.undone': { text: 'A block that set a session key left the chain.', to: audit },
  'action.draining': { text: 'A new session key waits for payments under the old one.', to: change },
  'action.offered': { text: 'A new session key waits for the owner’s signature.', to: change },
  'action.submitted': { text: 'The owner signed a change of a wallet.', to: change },
  'action.signed': { text: 'Bursar signed a rotation.', to: audit },
  'action.done': { text: 'A change of a wallet is on chain.', to: audit },
  'action.failed': { text: 'A change of a wallet can no longer happen.', to: audit },
  'action.undone': { text: 'A block with a change of a wallet left the chain.', to: audit },

  'agent.created': { text: 'An agent was added.', to: toldChange },
  'agent.changed': { text: 'An agent was renamed.', to: change },
  'agent.deleted': { text: 'An agent was deleted.', to: change },
  'agent.credential_replaced': { text: 'An agent has a new credential.', to: toldChange },
  'agent.credential_ended': { text: 'The owner ended a credential of an agent.', to: change },
  'agent.paused': { text: 'The owner paused an agent.', to: change },
  'agent.resumed': { text: 'The owner resumed an agent.', to: change },
  'connection.created': {
    text: 'An app was connected to an agent.',
    to: ['audit', 'changes', 'webhook', 'bell', 'mail'],
  },
  'connection.used': { text: 'A connected app made its first call.', to: auditAndWebhook },
  'connection.revoked': {
    text: 'A connected app lost its access.',
    to: ['audit', 'changes', 'webhook', 'bell'],
  },
  'connection.token_reused': {
    text: 'In one day, a connected app used spent refresh tokens more than 20 times.',
    to: ['audit', 'bell'],
  },
  'group.created': { text: 'A policy group was added.', to: change },
  'group.changed': { text: 'The rules of a policy group changed.', to: change },
  'group.topped_up': { text: 'A budget was raised.', to: change },
  'group.deleted': { text: 'A policy group was deleted.', to: change },
  'group.paused': { text: 'The owner paused a policy group.', to: change },
  'group.resumed': { text: 'The owner resumed a policy group.', to: change },
  'group.confirmed': { text: 'An approver confirmed the rules of a policy group.', to: change },
  'group.budget_reached': { text: 'Usage of a budget reached 75%, 90% or 100%.', to: ['audit', 'bell', 'mail'] },
  'contact.confirmed': { text: 'The owner confirmed a whitelisted contact.', to: change },
  'contact.stale': { text: 'A whitelisted contact changed; it is refused until confirmed.', to: change },
  'contact.removed': { text: 'A whitelisted contact was deleted.', to: change },

  'account.paused': { text: 'The owner paused all agents.', to: change },
  'account.resumed': { text: 'The owner resumed all agents.', to: change },
  'account.restored': {
    text: 'The account was restored to an earlier time and brought up to date.',
    to: ['audit', 'changes', 'bell', 'mail'],
  },
  'account.restore_accepted': {
    text: 'An operator accepted what could not be explained after a restore.',
    to: audit,
  },
  'payment.restored': { text: 'A payment was recovered when the account was restored.', to: audit },
  'account.month_ended': { text: 'A month in which money was spent is over.', to: ['mail'] },
  'account.suspended': { text: 'An operator suspended the account.', to: ['audit', 'changes', 'bell'] },
  'account.unsuspended': { text: 'An operator ended the suspension.', to: change },
  'account.approval_limit_set': {
    text: 'The owner changed the amount above which approving requires the password.',
    to: change,
  },
  'account.second_person_set': {
    text: 'The owner set above how much a second person is needed.',
    to: toldChange,
  },
  'account.password_changed': { text: 'The owner chose a new password.', to: ['audit', 'changes', 'bell'] },
  'account.address_changed': { text: 'The owner linked another crypto wallet, or none.', to: change },
  'account.limits_set': { text: 'An operator set limits for the account.', to: change },

  'person.invited': { text: 'The owner invited somebody to act for the account.', to: toldChange },
  'person.joined': { text: 'Somebody who was invited acts for the account from now on.', to: toldChange },
  'person.role_changed': { text: 'A person who acts for the account has another role.', to: toldChange },
  'person.removed': { text: 'The owner removed a person from the account.', to: change },
  'person.left': {
    text: 'A person no longer acts for the account, by their own choice.',
    to: ['audit', 'changes', 'bell'],
  },

  'webhook.created': { text: 'A webhook was added.', to: toldChange },
  'webhook.changed': { text: 'The events of a webhook changed, or it was switched on or off.', to: toldChange },
  'webhook.deleted': { text: 'A webhook was deleted.', to: change },
  'webhook.secret_rotated': {
    text: 'A webhook has a new secret; the old one also signs for 24 hours.',
    to: toldChange,
  },
  'webhook.disabled': {
    text: 'Bursar switched a webhook off: its address failed.',
    to: ['audit', 'changes', 'bell', 'mail'],
  },
  'webhook.test': { text: 'The owner asked for a test event.', to: ['webhook'] },
} as const satisfies Record<string, EventInfo>

/** What was added is listed from this far back, so that a stolen session that was noticed late is covered too. */
export const madeDays = 30

export type EventName = keyof typeof events
/** Names whose audiences include `To`. */
type NamesFor<To extends Audience> = {
  [Name in EventName]: To extends (typeof events)[Name]['to'][number] ? Name : never
}[EventName]

export type AuditEvent = NamesFor<'audit'>
export type WebhookEvent = NamesFor<'webhook'>
/** The bell counts open approvals, which therefore have no notices. */
export type NoticeEvent = Exclude<NamesFor<'bell'>, 'approval.requested'>

const namesFor = (audience: Audience) =>
  (Object.keys(events) as EventName[]).filter((name) => (events[name].to as readonly Audience[]).includes(audience))

/** Events whose `data` is a payment. */
export type PaymentEvent = Exclude<WebhookEvent, 'webhook.test' | ConnectionEvent | RunEvent>
export type ConnectionEvent = Extract<WebhookEvent, `connection.${string}`>
export const isConnectionEvent = (name: WebhookEvent): name is ConnectionEvent => name.startsWith('connection.')
export type RunEvent = Extract<WebhookEvent, `run.${string}`>
export const isRunEvent = (name: WebhookEvent): name is RunEvent => name.startsWith('run.')

export const webhookEvents = namesFor('webhook') as WebhookEvent[]

const noticeEvents: ReadonlySet<string> = new Set(namesFor('bell').filter((name) => name !== 'approval.requested'))
export const isNoticeEvent = (name: EventName): name is NoticeEvent => noticeEvents.has(name)

/** Events that Bursar causes or reads from the chain, whoever is calling at that moment. */
const bursarsOwn: ReadonlySet<AuditEvent> = new Set<AuditEvent>([
  ...(['payment.signed', 'payment.confirmed', 'payment.funded', 'payment.failed', 'payment.undone'] as const),
  ...(['payment.cancellation_seen', 'payout.ready', 'payout.withdrawn', 'payout.reclaimed', 'payout.lapsed'] as const),
  ...(['payout.unready', 'payout.failed', 'payout.released', 'approval.expired'] as const),
  ...(['wallet.active', 'wallet.failed', 'wallet.deploy_removed', 'wallet.halted', 'wallet.deposited'] as const),
  ...(['wallet.returned', 'wallet.withdrawn', 'wallet.owner_withdrew', 'wallet.refill_refused'] as const),
  ...(['wallet.reorganized', 'booking.undone', 'session.adopted', 'session.ended', 'session.ending'] as const),
  ...(['session.undone', 'action.signed', 'action.done', 'action.failed', 'action.undone'] as const),
  ...(['group.budget_reached', 'webhook.disabled'] as const),
  ...(['run.checked', 'run.expired', 'run.row_failed', 'run.finished'] as const),
])
export const isBursarsOwn = (name: AuditEvent): boolean => bursarsOwn.has(name)

/** Changes that the owner is told of, because whoever has a stolen session may have made them. */
export const toldChanges = [
  ...(['webhook.created', 'webhook.changed', 'webhook.secret_rotated'] as const),
  ...(['agent.created', 'agent.credential_replaced', 'connection.created'] as const),
  ...(['wallet.imported', 'wallet.deleted', 'wallet.key_viewed'] as const),
  ...(['person.invited', 'person.joined', 'person.role_changed', 'account.second_person_set'] as const),
] satisfies NamesFor<'mail'>[]
export type ToldChange = (typeof toldChanges)[number]

/** Changes that leave something which acts from then on, and can be ended. */
export const madeEvents = [
  ...(['webhook.created', 'webhook.changed', 'webhook.secret_rotated'] as const),
  ...(['agent.created', 'agent.credential_replaced', 'connection.created', 'grant.created'] as const),
  'person.invited',
] satisfies AuditEvent[]

const changeNames: ReadonlySet<string> = new Set(namesFor('changes'))
export type ChangeEvent = NamesFor<'changes'>

/** What the owner's history of changes tells apart. */
export const changeKinds = {
  rules: 'Rules and budgets',
  agents: 'Agents, apps and keys',
  wallets: 'Wallets and session keys',
  people: 'People',
  webhooks: 'Webhooks',
  payments: 'Payments and payouts',
  account: 'Account and limits',
} as const
export type ChangeKind = keyof typeof changeKinds
export const changeKindNames = Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]

type SubjectOf<Name extends string> = Name extends `${infer Subject}.${string}` ? Subject : never
/** By the first word of an event. */
const kindOf: Record<SubjectOf<ChangeEvent>, ChangeKind> = {
  ...{ group: 'rules', contact: 'rules' },
  ...{ agent: 'agents', connection: 'agents', grant: 'agents' },
  ...{ wallet: 'wallets', action: 'wallets' },
  ...{ person: 'people', webhook: 'webhooks', account: 'account' },
  ...{ approval: 'payments', payout: 'payments', run: 'payments' },
}

/** Where the history of changes shows a row of the audit log; null if it does not. Session keys that Bursar renews are none of the owner's. */
export function shownAs(name: AuditEvent, by: string): ChangeKind | null {
  if (!changeNames.has(name) || (name.startsWith('action.') && by === bursar.by)) return null
  return kindOf[name.split('.')[0] as SubjectOf<ChangeEvent>]
}
