/**
 * What happens in an account, each under one name: in the audit log, sent to webhooks, shown behind the bell and mailed.
 * docs/events.md lists the same. A name is never reused for something else, because audit logs keep it for good.
 */

/** Who learns of an event. `mail`: the owner or the recipient, as the sentence of docs/events.md says. */
export type Audience = 'audit' | 'webhook' | 'bell' | 'mail'
type EventInfo = { text: string; to: readonly Audience[] }

const audit = ['audit'] as const
const auditAndWebhook = ['audit', 'webhook'] as const

export const events = {
  'payment.accepted': { text: 'A payment passed every rule; its amount is held.', to: auditAndWebhook },
  'payment.refused': { text: 'A rule refused a payment; nothing is held.', to: ['audit', 'webhook', 'bell'] },
  'payment.signed': { text: 'A payment was signed and goes to the chain.', to: auditAndWebhook },
  'payment.confirmed': { text: 'A send is confirmed on chain.', to: auditAndWebhook },
  'payment.funded': { text: 'The money of a payout is at its own address.', to: auditAndWebhook },
  'payment.failed': {
    text: 'A payment can no longer happen; its amount is released.',
    to: ['audit', 'webhook', 'bell'],
  },
  'payment.cancelled': { text: 'A payment was cancelled before it was signed.', to: auditAndWebhook },
  'payment.undone': {
    text: 'A block left the chain: the payment is back in the state before it.',
    to: auditAndWebhook,
  },
  'payment.cancellation_seen': { text: 'The owner of an imported key cancelled the authorization.', to: audit },
  'payment.reorganised': { text: 'A confirmed payment moved to another block.', to: audit },

  'payout.ready': { text: 'A payout can be claimed; link and code are sent.', to: ['audit', 'webhook', 'mail'] },
  'payout.reminded': { text: 'The recipient of an unclaimed payout was reminded.', to: ['mail'] },
  'payout.claim_started': { text: 'The recipient has chosen an address.', to: auditAndWebhook },
  'payout.reclaim_started': { text: 'A payout goes back to its sender.', to: auditAndWebhook },
  'payout.withdrawn': { text: 'The recipient has the money.', to: ['audit', 'webhook', 'bell', 'mail'] },
  'payout.reclaimed': { text: 'The sender has the money back.', to: ['audit', 'webhook', 'bell', 'mail'] },
  'payout.lapsed': { text: 'A claim or reclaim did not reach the chain in time; it may be tried again.', to: audit },
  'payout.unready': { text: 'A block left the chain: the payout waits for it again.', to: audit },
  'payout.failed': { text: 'A payout was never funded.', to: audit },
  'payout.released': { text: 'The return of a payout is final; its budget is free again.', to: audit },
  'payout.code_renewed': { text: 'A payout got a new code, which was sent.', to: ['audit', 'mail'] },
  'payout.reclaim_all': { text: 'The owner took back every unclaimed payout.', to: audit },
  'payout.link_taken_down': { text: 'An operator took a claim link down.', to: audit },
  'payout.link_restored': { text: 'An operator put a claim link back.', to: audit },

  'approval.requested': {
    text: 'A payment, or a request for more budget, waits for the owner’s decision.',
    to: ['audit', 'webhook', 'bell', 'mail'],
  },
  'approval.approved': { text: 'The owner approved a payment.', to: auditAndWebhook },
  'approval.denied': { text: 'The owner denied a payment.', to: auditAndWebhook },
  'approval.expired': { text: 'Nobody decided in time; the payment was not made.', to: ['audit', 'webhook', 'bell'] },
  'approval.cancelled': { text: 'A payment was cancelled before it was decided.', to: auditAndWebhook },
  'grant.created': { text: 'The owner allowed one agent one recipient without asking.', to: audit },
  'grant.ended': { text: 'Such a permission ended.', to: audit },

  'wallet.created': { text: 'A smart wallet was ordered.', to: audit },
  'wallet.imported': { text: 'A plain key was imported.', to: audit },
  'wallet.active': { text: 'A smart wallet is deployed.', to: audit },
  'wallet.failed': { text: 'A wallet could not be deployed.', to: ['audit', 'bell'] },
  'wallet.deploy_removed': { text: 'A block left the chain, and with it a deployment.', to: audit },
  'wallet.deploy_resumed': { text: 'A deployment is tried again.', to: audit },
  'wallet.renamed': { text: 'A wallet has another name.', to: audit },
  'wallet.deleted': { text: 'A wallet was removed from the account.', to: audit },
  'wallet.paused': { text: 'The owner paused a wallet.', to: audit },
  'wallet.resumed': { text: 'A wallet pays again.', to: audit },
  'wallet.halted': { text: 'Bursar stopped a wallet: chain and books differ.', to: ['audit', 'bell', 'mail'] },
  'wallet.deposited': { text: 'Money came to a wallet.', to: audit },
  'wallet.returned': { text: 'The money of a payout came back to its wallet.', to: audit },
  'wallet.withdrawn': { text: 'Money left a wallet without Bursar.', to: ['audit', 'bell'] },
  'wallet.reorganised': { text: 'Blocks left the chain; what they booked is undone.', to: audit },
  'wallet.key_viewed': { text: 'The owner viewed an imported key.', to: audit },
  'wallet.key_refused': { text: 'An imported key was asked for with a wrong password.', to: audit },
  'booking.undone': { text: 'A block left the chain: money that came or left is not booked any more.', to: audit },
  'session.adopted': { text: 'A session key is in force.', to: audit },
  'session.ended': { text: 'A session key was revoked.', to: audit },
  'session.undone': { text: 'A block left the chain, and with it a session key.', to: audit },
  'action.draining': { text: 'A new session key waits for payments under the old one.', to: audit },
  'action.offered': { text: 'A new session key waits for the owner’s signature.', to: audit },
  'action.submitted': { text: 'The owner signed a change of a wallet.', to: audit },
  'action.signed': { text: 'Bursar signed a rotation.', to: audit },
  'action.done': { text: 'A change of a wallet is on chain.', to: audit },
  'action.failed': { text: 'A change of a wallet can no longer happen.', to: audit },
  'action.undone': { text: 'A block left the chain, and with it a change of a wallet.', to: audit },

  'agent.created': { text: 'An agent was added.', to: audit },
  'agent.changed': { text: 'An agent has another name.', to: audit },
  'agent.deleted': { text: 'An agent was deleted.', to: audit },
  'agent.credential_replaced': { text: 'An agent has a new credential.', to: audit },
  'agent.paused': { text: 'The owner paused an agent.', to: audit },
  'agent.resumed': { text: 'The owner let an agent pay again.', to: audit },
  'group.created': { text: 'A policy group was added.', to: audit },
  'group.changed': { text: 'The rules of a policy group changed.', to: audit },
  'group.topped_up': { text: 'A budget was raised.', to: audit },
  'group.deleted': { text: 'A policy group was deleted.', to: audit },
  'group.paused': { text: 'The owner paused a policy group.', to: audit },
  'group.resumed': { text: 'The owner let a policy group pay again.', to: audit },
  'group.budget_reached': { text: 'A budget is used to 75, 90 or 100 %.', to: ['audit', 'bell', 'mail'] },
  'contact.confirmed': { text: 'The owner confirmed a whitelisted contact.', to: audit },
  'contact.stale': { text: 'A whitelisted contact changed; it is refused until confirmed.', to: audit },
  'contact.removed': { text: 'A whitelisted contact was deleted.', to: audit },

  'account.paused': { text: 'The owner paused all agents.', to: audit },
  'account.resumed': { text: 'The owner let all agents pay again.', to: audit },
  'account.restored': {
    text: 'The account was put back to an earlier time; what had happened since was read again.',
    to: ['audit', 'bell', 'mail'],
  },
  'account.restore_accepted': {
    text: 'An operator accepted what nobody could explain after a restore.',
    to: audit,
  },
  'payment.restored': { text: 'A payment was read again when the account was restored.', to: audit },
  'account.suspended': { text: 'An operator suspended the account.', to: ['audit', 'bell'] },
  'account.unsuspended': { text: 'An operator ended the suspension.', to: audit },
  'account.approval_limit_set': {
    text: 'The owner changed from which amount on approving needs the password.',
    to: audit,
  },
  'account.limits_set': { text: 'An operator set limits of the account.', to: audit },

  'webhook.created': { text: 'A webhook was added.', to: audit },
  'webhook.changed': { text: 'The events of a webhook changed, or it was switched on or off.', to: audit },
  'webhook.deleted': { text: 'A webhook was deleted.', to: audit },
  'webhook.secret_rotated': {
    text: 'A webhook has a new secret; the old one signs beside it for 24 hours.',
    to: audit,
  },
  'webhook.disabled': { text: 'Bursar switched a webhook off: its address failed.', to: ['audit', 'bell', 'mail'] },
  'webhook.test': { text: 'The owner asked for a test event.', to: ['webhook'] },
} as const satisfies Record<string, EventInfo>

export type EventName = keyof typeof events
/** Names whose audiences include `To`. */
type NamesFor<To extends Audience> = {
  [Name in EventName]: To extends (typeof events)[Name]['to'][number] ? Name : never
}[EventName]

export type AuditEvent = NamesFor<'audit'>
export type WebhookEvent = NamesFor<'webhook'>
export type MailEvent = NamesFor<'mail'>
/** What waits for a decision is counted by the bell, and has no notice. */
export type NoticeEvent = Exclude<NamesFor<'bell'>, 'approval.requested'>

const namesFor = (audience: Audience) =>
  (Object.keys(events) as EventName[]).filter((name) => (events[name].to as readonly Audience[]).includes(audience))

export const webhookEvents = namesFor('webhook') as WebhookEvent[]

const noticeEvents: ReadonlySet<string> = new Set(namesFor('bell').filter((name) => name !== 'approval.requested'))
export const isNoticeEvent = (name: EventName): name is NoticeEvent => noticeEvents.has(name)
