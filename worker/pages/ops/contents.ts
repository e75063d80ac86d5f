import { html } from 'hono/html'
import { userLimits } from '#domain/limits.ts'
import { isWeaker, type StopMode, stopModes } from '#domain/serviceStop.ts'
import type {
  AccountReport,
  AuditPage,
  ClaimLinkState,
  CreatedPasscode,
  FoundUser,
  OperatorAction,
  OpsStatus,
  PasscodeList,
  Stuck,
  WebhooksState,
} from '#schemas/ops.ts'
import type { Html } from '../layout.ts'
import { card, type Form, facts, field, table, time, userLink } from './layout.ts'

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
      stop.unconfirmed.length > 0
        ? html`<p class="warning">Not confirmed by ${stop.unconfirmed.join(', ')}; repeated every few seconds.</p>`
        : html``,
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

export const usersContent = (find: string, users: FoundUser[]): Html[] => [
  html`<form method="get" action="/ops/users">${field('Email address or id', 'find', { value: find })}<button>Find</button></form>`,
  html`<h2>${find === '' ? 'Suspended' : 'Found'}</h2>`,
  table(
    ['Account', 'Email', 'Created', 'Suspended'],
    users.map(({ id, email, createdAt, suspendedSince }) => [
      userLink(id),
      email,
      time(createdAt),
      suspendedSince ? html`Since ${time(suspendedSince)}` : 'No',
    ]),
    find === '' ? 'No account is suspended.' : 'No account has this address or id.',
  ),
]

export function accountContent(report: AccountReport, form: Form): Html[] {
  const { user, suspended, limits, gas, counts, stuck } = report
  const path = `/ops/users/${encodeURIComponent(user.id)}`
  const figure = (n: number) => n.toLocaleString('en')
  return [
    facts([
      ['Email', user.email],
      ['Id', html`<code>${user.id}</code>`],
      ['Created', time(user.createdAt)],
      ['State', suspended ? html`Suspended since ${time(user.suspendedSince)}` : 'Active'],
      ['Agents', `${counts.agents}${report.agentsPaused ? ', all paused by the owner' : ''}`],
      ['Wallets', String(counts.wallets)],
      ['Open payments and payouts', `${counts.openPayments} and ${counts.openPayouts}`],
      ['Gas today', `${figure(gas.used)} of ${figure(gas.limit)}`],
    ]),
    card(suspended ? 'Unsuspend' : 'Suspend', [
      html`<p class="muted">All calls of agents are refused. The owner can sign in, read, reclaim payouts and withdraw. Unsigned payments fail, signed ones are delivered, and recipients can claim.</p>`,
      suspended ? form(`${path}/unsuspend`, 'Unsuspend') : form(`${path}/suspend`, 'Suspend', '', 'danger'),
    ]),
    card('Stuck', [
      table(
        ['Since', 'What', 'State', 'Why'],
        stuck.map(({ since, kind, id, status, why }) => [time(since), html`${kind} <code>${id}</code>`, status, why]),
        'Nothing has been waiting for more than a minute.',
      ),
      html`<p class="muted">Waking immediately runs work that waits for a timer. All of it would also happen without waking.</p>`,
      form(`${path}/wake`, 'Wake'),
    ]),
    card('Limits', [
      table(
        ['Limit', 'Set for this account'],
        Object.entries(limits).map(([name, value]) => [name, figure(value)]),
        'The deployment’s limits apply.',
      ),
      form(
        `${path}/limits`,
        'Set limit',
        html`<label>Limit <select name="name">${userLimits.map((name) => html`<option>${name}</option>`)}</select></label>
${field('Value', 'value', { hint: 'Leave empty to use the deployment’s limit.' })}`,
      ),
    ]),
    card('Audit log', [
      html`<p class="muted">It shows whom the account pays. Reading it is recorded with your reason.</p>`,
      form(`${path}/audit`, 'Read'),
    ]),
  ]
}

export const auditContent = (userId: string, { entries, before }: AuditPage, form: Form): Html[] => [
  html`<p>${userLink(userId)}</p>`,
  table(
    ['Row', 'When', 'Event', 'Of', 'Data'],
    entries.map(({ seq, at, event, ref, data }) => [
      String(seq),
      time(at),
      event,
      html`<code>${ref}</code>`,
      html`<code>${JSON.stringify(data)}</code>`,
    ]),
    'No rows.',
  ),
  before === null
    ? html``
    : form(
        `/ops/users/${encodeURIComponent(userId)}/audit`,
        'Read older rows',
        html`<input type="hidden" name="before" value="${before}">`,
      ),
]

export const claimLinksContent = (form: Form, done?: ClaimLinkState): Html[] => [
  done
    ? card(done.isDown ? 'Taken down' : 'Restored', [
        facts([
          ['Payout', html`<code>${done.payoutId}</code>`],
          ['State', done.status],
          ['Account', userLink(done.userId)],
        ]),
      ])
    : html``,
  html`<p>A link that is taken down says that it is not available. No money moves: the sender can reclaim the payout, and it returns to them when it expires.</p>`,
  card('Take down', form('/ops/claim-links/take-down', 'Take down', payoutField, 'danger')),
  card('Restore', form('/ops/claim-links/restore', 'Restore', payoutField)),
]
const payoutField = field('Claim link or payout id', 'payout', { required: true })

export const passcodesContent = (
  { signUp, passcodes }: PasscodeList,
  form: Form,
  created?: CreatedPasscode,
): Html[] => [
  created
    ? html`<p class="notice" role="status">The passcode of “${created.label}”, shown this once: <code>${created.passcode}</code></p>`
    : html``,
  html`<p>Sign-up is <strong>${signUp}</strong>. The setting <code>SIGN_UP</code> decides.</p>`,
  table(
    ['Label', 'State', 'Used', 'Expires', 'Id'],
    passcodes.map(({ id, label, state, used, maxUses, expiresAt }) => [
      label,
      state.replace('_', ' '),
      maxUses === null ? String(used) : `${used} of ${maxUses}`,
      time(expiresAt),
      html`<code>${id}</code>`,
    ]),
    'There are no passcodes.',
  ),
  card(
    'Create',
    form('/ops/passcodes', 'Create passcode', [
      field('Label', 'label', { required: true }),
      field('Uses', 'maxUses', { hint: 'Leave empty for no limit.' }),
      field('Days until it expires', 'expiresInDays', { hint: 'Leave empty for no expiry.' }),
    ]),
  ),
  card('Revoke', form('/ops/passcodes/revoke', 'Revoke', field('Id', 'id', { required: true }), 'danger')),
]
