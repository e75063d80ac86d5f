/** docs/events.md lists exactly what worker/domain/events.ts lists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type EventName, events, toldChanges, webhookEvents } from '../../worker/domain/events.ts'
import type { MailKind } from '../../worker/treasury/outbox/enqueue.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
const listed = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (.*?) \| (.*?) \|$/gm)].map(([, name, text, to]) => ({
  name,
  text,
  to: to!.split(', '),
}))

test('docs/events.md lists every event with its sentence and audiences @events-1', () => {
  expect(listed).toEqual(Object.entries(events).map(([name, { text, to }]) => ({ name, text, to: [...to] })))
})

/** The event that each message reports. A renewed code is sent in the message of the link. */
const eventOfMail: Record<MailKind, EventName> = {
  'mail.payout_link': 'payout.ready',
  'mail.payout_reminder': 'payout.reminded',
  'mail.payout_claimed': 'payout.withdrawn',
  'mail.payout_returned': 'payout.reclaimed',
  'mail.payout_receipt': 'payout.receipt_requested',
  'mail.budget_reached': 'group.budget_reached',
  'mail.wallet_stopped': 'wallet.halted',
  'mail.session_ending': 'session.ending',
  'mail.refill_refused': 'wallet.refill_refused',
  'mail.approvals': 'approval.requested',
  'mail.run_waiting': 'run.waiting',
  'mail.run_ended': 'run.finished',
  'mail.changes': 'agent.created',
  'mail.second_person': 'account.second_person_set',
  'mail.withdrawal': 'wallet.withdrawn',
  'mail.webhook_disabled': 'webhook.disabled',
  'mail.account_restored': 'account.restored',
  'mail.month': 'account.month_ended',
}

test('every outbox email belongs to an event whose audiences include mail @events-2', () => {
  for (const name of [...Object.values(eventOfMail), ...toldChanges]) expect(events[name].to).toContain('mail')
})

test('webhooks receive events of payments, payouts, runs, approvals, connections and webhooks @events-3', () => {
  const subjects = (names: EventName[]) => [...new Set(names.map((name) => name.split('.')[0]))].sort()
  expect(subjects(webhookEvents)).toEqual(['approval', 'connection', 'payment', 'payout', 'run', 'webhook'])
})
