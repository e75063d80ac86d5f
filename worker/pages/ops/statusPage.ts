import { html } from 'hono/html'
import { isWeaker, type StopMode, stopModes } from '#domain/serviceStop.ts'
import type { OperatorAction, OpsStatus, Stuck, WebhooksState } from '#schemas/ops.ts'
import type { Html } from '../layout.ts'
import { card, type Form, facts, table, time, userLink } from './layout.ts'

/** Shown for the current mode, and above the button of each other one. */
const meaning: Record<StopMode, string> = {
  none: 'Nothing is stopped.',
  new: 'Refuses new payments. Accepted payments are still signed and delivered.',
  sign: 'Refuses new payments and signs with no session key. Signed payments are delivered; claims, reclaims and exits work.',
  all: 'Sends nothing to the chain: no payments, claims, reclaims or exits.',
}
const more: Record<StopMode, string> = {
  none: '',
  new: 'Stop new payments',
  sign: 'Stop signing',
  all: 'Stop everything',
}
const less: Record<StopMode, string> = {
  none: 'Resume everything',
  new: 'Stop only new payments',
  sign: 'Stop only signing',
  all: '',
}

export function statusContent(status: OpsStatus, form: Form): Html[] {
  const { stop, problems, alerts, relayers } = status
  const isStopped = stop.mode !== 'none'
  return [
    card('Stops', [
      html`<p class="${isStopped ? 'warning' : ''}"><strong>${isStopped ? `Stopped: ${stop.mode}` : 'Running'}.</strong> ${meaning[stop.mode]} ${isStopped ? html`Since ${time(stop.since)}.` : ''}</p>`,
      ...stopModes.filter((mode) => mode !== stop.mode).map((mode) => stopForm(mode, stop.mode, form)),
    ]),
    webhooksCard(status.webhooks, form),
    card('Readiness', [
      facts([
        ['State', status.ready ? 'Ready' : 'Not ready'],
        ['Sign-up', status.signUp],
        ['Suspended accounts', html`<a href="/ops/users">${status.suspended}</a>`],
        ['Accounts with stuck work', html`<a href="/ops/stuck">${status.overdueTreasuries}</a>`],
      ]),
      problems.length > 0 ? html`<ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>` : '',
    ]),
    card(
      'Alerts',
      table(
        ['Since', 'Alert'],
        alerts.map(({ since, key, text }) => [time(since), html`<code>${key}</code> ${text}`]),
        'None.',
      ),
    ),
    card(
      'Relayers',
      table(
        ['Relayer', 'Account', 'ETH', 'Waiting', 'In flight', 'Problem'],
        relayers.map((relayer) => [
          relayer.name,
          relayer.address ? html`<code>${relayer.address}</code>` : '–',
          relayer.balance ?? 'unknown',
          String(relayer.waiting),
          String(relayer.inFlight),
          relayer.problem ?? 'none',
        ]),
        'No network is in use.',
      ),
    ),
  ]
}

function webhooksCard({ on, failing, disabled, longestFailing, stoppedSince }: WebhooksState, form: Form): Html {
  return card('Webhooks', [
    html`<p class="${stoppedSince ? 'warning' : ''}"><strong>${stoppedSince ? 'Stopped' : 'Sent'}.</strong> ${stoppedSince ? html`Since ${time(stoppedSince)}. Events wait for up to three days.` : ''}</p>`,
    facts([
      ['Switched on', String(on)],
      ['Failing now', String(failing)],
      ['Switched off by Bursar', String(disabled)],
    ]),
    failing > 0
      ? table(
          ['Since', 'Webhook', 'Account'],
          longestFailing.map(({ since, id, userId }) => [time(since), html`<code>${id}</code>`, userLink(userId)]),
          '',
        )
      : '',
    stoppedSince
      ? form('/ops/webhooks/resume', 'Send webhooks again')
      : form('/ops/webhooks/stop', 'Stop webhooks', '', 'danger'),
  ])
}

/** Lifting a stop names the mode that it lifts, so that it fails if more was stopped in the meantime. */
const stopForm = (mode: StopMode, now: StopMode, form: Form) =>
  form(
    '/ops/stop',
    isWeaker(mode, now) ? less[mode] : more[mode],
    html`<p class="muted">${mode === 'none' ? 'Waiting work is signed and sent.' : meaning[mode]}</p><input type="hidden" name="mode" value="${mode}"><input type="hidden" name="from" value="${now}">`,
    isWeaker(mode, now) ? undefined : 'danger',
  )

export const stuckContent = ({ overdueTreasuries, jobs }: Stuck): Html[] => [
  card(
    'Accounts with stuck work',
    table(
      ['Since', 'Account'],
      overdueTreasuries.map(({ since, userId }) => [time(since), userLink(userId)]),
      'None. Accounts appear here after two minutes.',
    ),
  ),
  card(
    'Jobs waiting at a Relayer',
    table(
      ['Since', 'Job', 'State', 'Why', 'Next try', 'Account'],
      jobs.map((job) => [
        time(job.since),
        html`${job.kind} <code>${job.id}</code>`,
        job.status,
        job.why,
        time(job.retryAt),
        job.userId ? userLink(job.userId) : '–',
      ]),
      'None. Jobs appear here after a minute.',
    ),
  ),
]

export const actsContent = (acts: OperatorAction[]): Html[] => [
  table(
    ['When', 'Who', 'What', 'Of', 'Reason', 'Detail'],
    acts.map(({ at, actor, action, subject, reason, detail }) => [
      time(at),
      actor,
      action,
      subject.startsWith('user_') ? userLink(subject) : subject,
      reason,
      Object.keys(detail).length > 0 ? html`<code>${JSON.stringify(detail)}</code>` : '–',
    ]),
    'No actions yet.',
  ),
]
