import { isWeaker, type StopMode, stopModes } from '../../worker/domain/serviceStop.ts'
import type {
  AccountReport,
  AuditPage,
  ClaimLinkState,
  CreatedPasscode,
  FoundUser,
  KeyringState,
  OperatorAction,
  OpsStatus,
  Passcode,
  PasscodeList,
  ServiceStop,
  Stuck,
  Suspension,
  WatchReport,
  WebhooksState,
} from '../../worker/schemas/ops.ts'
import { backupCommands } from './backupCommands.ts'
import { act, acting, type Command, lines, numberOf, optional, read, rows, UsageError } from './command.ts'
import { restoreCommands } from './restoreCommand.ts'

const user = (id: string) => `/users/${encodeURIComponent(id)}`
const stopText = ({ mode, since, unconfirmed }: ServiceStop) =>
  `${mode === 'none' ? 'nothing is stopped' : `${mode}, since ${since}`}${
    unconfirmed.length === 0
      ? ''
      : ` (${unconfirmed.join(', ')} has not confirmed; the stop is repeated every few seconds)`
  }`
const webhooksText = ({ on, failing, disabled, stoppedSince }: WebhooksState) =>
  `${stoppedSince ? `stopped since ${stoppedSince}` : 'sent'}; ${on} on, ${failing} failing, ${disabled} switched off by Bursar`

export const commands: Record<string, Command> = {
  status: {
    usage: 'status',
    help: 'Shows readiness, stops, alerts and relayers.',
    args: [0, 0],
    ...read<OpsStatus>('/status', ({ problems, alerts, relayers, ...data }) =>
      lines(
        rows([
          ['ready', data.ready ? 'yes' : 'no'],
          ['stopped', stopText(data.stop)],
          ['webhooks', webhooksText(data.webhooks)],
          ['sign-up', data.signUp],
          ['suspended accounts', String(data.suspended)],
          ['accounts without progress', String(data.overdueTreasuries)],
        ]),
        rows(data.webhooks.longestFailing.map(({ since, id, userId }) => ['failing', since, id, userId])),
        ...problems.map((problem) => `problem  ${problem}`),
        ...alerts.map(({ since, key, text }) => `alert    ${since}  ${key}  ${text}`),
        rows(
          relayers.map(({ name, address, balance, waiting, inFlight, problem }) => [
            `relayer ${name}`,
            `${balance ?? '?'} ETH  waiting ${waiting}  in flight ${inFlight}  ${problem ?? ''}  ${address ?? ''}`,
          ]),
        ),
      ),
    ),
  },
  ready: {
    usage: 'ready',
    help: 'Names the problems of settings, nodes and accounts, even if the deployment refuses everything else.',
    args: [0, 0],
    ...read<{ problems: string[] }>('/ready', ({ problems }) => problems.join('\n') || 'ready'),
  },
  stop: {
    usage: 'stop new|sign|all',
    help: `new: refuses new payments. sign: in addition, no session key signs after 10 seconds; signed payments are delivered;
claims, reclaims and exits work. all: in addition, the Relayers send nothing.`,
    args: [1, 1],
    ...acting,
    run: async (call, { args: [mode], reason }) => {
      if (mode !== 'new' && mode !== 'sign' && mode !== 'all') throw new UsageError('Stop what? new, sign or all.')
      const { mode: from } = await call<ServiceStop>('GET', '/stop')
      if (isWeaker(mode, from))
        throw new UsageError(`${from} already stops more. To stop less: resume ${from} --to ${mode}.`)
      const data = await call<ServiceStop>('POST', '/stop', { mode, from, reason })
      return { data, text: stopText(data) }
    },
  },
  resume: {
    usage: 'resume [new|sign|all] [--to new|sign]',
    options: ['to'],
    help: 'Lifts the current stop, or a part of it. Fails if the current stop is not the named one, or changes meanwhile.',
    args: [0, 1],
    ...acting,
    run: async (call, { args: [named], reason, options: { to: mode = 'none' } }) => {
      const now = await call<ServiceStop>('GET', '/stop')
      if (named !== undefined && named !== now.mode)
        throw new UsageError(`Not lifted: ${stopText(now)}; you named ${named}.`)
      const isLess = (stopModes as readonly string[]).includes(mode) && isWeaker(mode as StopMode, now.mode)
      if (!isLess) throw new UsageError(`Not lifted: ${stopText(now)}; ${mode} is not less than that.`)
      const data = await call<ServiceStop>('POST', '/stop', { mode, from: now.mode, reason })
      return { data, text: `${stopText(data)}; before: ${stopText(now)}` }
    },
  },
  webhooks: {
    usage: 'webhooks stop|resume',
    help: 'stop: after 5 seconds nothing is sent to webhooks; events wait for at most three days. Payments continue.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [what], reason }) => {
      if (what !== 'stop' && what !== 'resume') throw new UsageError('Stop or resume?')
      const data = await call<WebhooksState>('POST', `/webhooks/${what}`, { reason })
      return { data, text: webhooksText(data) }
    },
  },
  users: {
    usage: 'users [email|id]',
    help: 'Finds an account. Without an argument, lists the suspended ones.',
    args: [0, 1],
    ...read<FoundUser[]>(
      (find = '') => `/users?find=${encodeURIComponent(find)}`,
      (users) =>
        rows(
          users.map(({ id, email, createdAt, suspendedSince }) => [
            id,
            email,
            `created ${createdAt}`,
            suspendedSince ? `suspended since ${suspendedSince}` : '',
          ]),
        ) || 'none',
    ),
  },
  user: {
    usage: 'user <id>',
    help: 'Shows state, limits and stuck work of an account.',
    args: [1, 1],
    ...read<AccountReport>(user, (data) =>
      lines(
        rows([
          ['email', data.user.email],
          ['id', data.user.id],
          ['created', data.user.createdAt],
          ['agents', `${data.counts.agents}${data.agentsPaused ? ', all paused by the owner' : ''}`],
          ['wallets', String(data.counts.wallets)],
          ['suspended', data.suspended ? `since ${data.user.suspendedSince ?? 'now'}` : 'no'],
          ['gas today', `${data.gas.used} of ${data.gas.limit}`],
          ['limits set', JSON.stringify(data.limits)],
          ['open', `${data.counts.openPayments} payments, ${data.counts.openPayouts} payouts`],
        ]),
        rows(data.stuck.map(({ since, kind, id, status, why }) => [since, kind, id, status, why])),
      ),
    ),
  },
  suspend: {
    usage: 'suspend <id>',
    help: `Refuses everything to an account's agents. The owner can read, reclaim and withdraw; unsigned payments fail, signed
ones are delivered, recipients can claim.`,
    args: [1, 1],
    ...act<Suspension>(
      (id) => `${user(id)}/suspend`,
      ({ since, stoppedPayments }) => `suspended since ${since}; ${stoppedPayments} unsigned payments failed`,
    ),
  },
  unsuspend: {
    usage: 'unsuspend <id>',
    help: 'Lifts a suspension.',
    args: [1, 1],
    ...act<Suspension>(
      (id) => `${user(id)}/unsuspend`,
      () => 'not suspended',
    ),
  },
  limits: {
    usage: 'limits <id> <name>=<value>…',
    help: 'Sets limits of one account, such as gasPerDay=0 or emailsPerDay=10; <name>=none removes one.',
    args: [2, 30],
    ...acting,
    run: async (call, { args: [id, ...pairs], reason }) => {
      const limits = Object.fromEntries(
        pairs.map((pair) => {
          const [name, value, more] = pair.split('=')
          if (!name || value === undefined || more !== undefined) throw new UsageError(`${pair} is not <name>=<value>.`)
          return [name, numberOf(value)]
        }),
      )
      const data = await call<Record<string, number>>('PATCH', `${user(id!)}/limits`, { limits, reason })
      return { data, text: rows(Object.entries(data).map(([name, value]) => [name, String(value)])) || 'none set' }
    },
  },
  stuck: {
    usage: 'stuck',
    help: 'Lists accounts and jobs that make no progress, and why.',
    args: [0, 0],
    ...read<Stuck>(
      '/stuck',
      ({ overdueTreasuries, jobs }) =>
        rows([
          ...overdueTreasuries.map(({ since, userId }) => [since, 'account', userId, 'its work makes no progress']),
          ...jobs.map((job) => [
            job.since,
            job.kind,
            job.id,
            `${job.status}: ${job.why}`,
            `next try ${job.retryAt}`,
            job.userId,
          ]),
        ]) || 'nothing',
    ),
  },
  watch: {
    usage: 'watch',
    help: 'Shows what reads idle wallets: how many, how often, and the newest sweep.',
    args: [0, 0],
    ...read<WatchReport[]>('/watch', (all) =>
      rows(
        all.map(({ name, wallets, busy, secondsBetweenSweeps, lastSweep, problem }) => [
          name,
          `${wallets} wallets`,
          `${busy} busy`,
          `every ${secondsBetweenSweeps} s`,
          lastSweep
            ? `last ${lastSweep.at} at block ${lastSweep.block} in ${lastSweep.ms} ms, woke ${lastSweep.woken}`
            : 'no sweep yet',
          problem ?? '',
        ]),
      ),
    ),
  },
  wake: {
    usage: 'wake <id>',
    help: 'Immediately runs the work of an account that waits for a timer.',
    args: [1, 1],
    ...act<null>(
      (id) => `${user(id)}/wake`,
      () => 'woken',
    ),
  },
  'take-down': linkCommand('take-down', 'Makes a claim link show that it is not available. No money moves.'),
  restore: linkCommand('restore', 'Makes a claim link work again.'),
  audit: {
    usage: 'audit <id> [--before <row>]',
    options: ['before'],
    help: 'Reads 100 rows of an account’s audit log, newest first.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [id], reason, options }) => {
      const before = optional(options.before)
      const body = { reason, ...(before !== undefined && { before }) }
      const data = await call<AuditPage>('POST', `${user(id!)}/audit`, body)
      const lines = data.entries.map(({ seq, at, event, ref, data }) => [
        String(seq),
        at,
        event,
        ref,
        JSON.stringify(data),
      ])
      const more = data.before === null ? '' : `\nolder: --before ${data.before}`
      return { data, text: rows(lines) + more }
    },
  },
  passcodes: {
    usage: 'passcodes',
    help: 'Lists sign-up passcodes.',
    args: [0, 0],
    ...read<PasscodeList>(
      '/passcodes',
      ({ passcodes, signUp }) => rows(passcodes.map(passcodeLine)) || `none; sign-up is ${signUp}`,
    ),
  },
  'create-passcode': {
    usage: 'create-passcode <label> [--uses <n>] [--days <n>]',
    options: ['uses', 'days'],
    help: 'Creates a sign-up passcode and prints it once. Without options it has no limit.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [label], reason, options }) => {
      const body = { label, maxUses: numberOf(options.uses ?? ''), expiresInDays: numberOf(options.days ?? ''), reason }
      const data = await call<CreatedPasscode>('POST', '/passcodes', body)
      return { data, text: data.passcode }
    },
  },
  'limit-passcode': {
    usage: 'limit-passcode <id> [--uses <n>|none] [--days <n>|none]',
    options: ['uses', 'days'],
    help: 'Changes the limits of a passcode. Days count from now.',
    args: [1, 1],
    ...acting,
    run: async (call, { args: [id], reason, options }) => {
      const body = { maxUses: optional(options.uses), expiresInDays: optional(options.days), reason }
      const data = await call<Passcode>('PATCH', `/passcodes/${encodeURIComponent(id!)}`, body)
      return { data, text: rows([passcodeLine(data)]) }
    },
  },
  'revoke-passcode': {
    usage: 'revoke-passcode <id>',
    help: 'Revokes a passcode. Accounts created with it remain.',
    args: [1, 1],
    ...act<Passcode>(
      (id) => `/passcodes/${encodeURIComponent(id)}/revoke`,
      (passcode) => rows([passcodeLine(passcode)]),
    ),
  },
  keys: {
    usage: 'keys',
    help: 'Lists the versions of each secret, and what still needs the older ones. To replace one: npm run ops -- rotate',
    args: [0, 0],
    ...read<KeyringState[]>('/keys', (keyrings) =>
      rows(
        keyrings.flatMap(({ name, versions, remaining, removableFrom }) => [
          ...versions.map(({ version, from, state }) => [name, `version ${version}`, state, from ?? '']),
          ...remaining.map((what) => [name, '', 'needed for', what]),
          ...(removableFrom ? [[name, '', 'older ones removable from', removableFrom]] : []),
        ]),
      ),
    ),
  },
  'renew-keys': {
    usage: 'renew-keys',
    help: 'Makes the next fifty accounts re-seal what is under an older key. The cron does the same each minute.',
    args: [0, 0],
    ...act<{ accounts: number }>('/keys/renew', ({ accounts }) => `${accounts} accounts`),
  },
  'reset-passwords': {
    usage: 'reset-passwords',
    help: 'Invalidates passwords hashed under an older pepper: their owners choose new ones by email.',
    args: [0, 0],
    ...act<{ passwords: number }>('/keys/reset-passwords', ({ passwords }) => `${passwords} passwords`),
  },
  ...backupCommands,
  ...restoreCommands,
  acts: {
    usage: 'acts',
    help: 'Lists recent operator actions with their reasons, newest first.',
    args: [0, 0],
    ...read<OperatorAction[]>(
      '/actions',
      (acts) =>
        rows(
          acts.map(({ at, actor, action, subject, reason, detail }) => [
            at,
            actor,
            action,
            subject,
            reason,
            Object.keys(detail).length > 0 ? JSON.stringify(detail) : '',
          ]),
        ) || 'none',
    ),
  },
}

function linkCommand(change: 'take-down' | 'restore', help: string): Command {
  return {
    usage: `${change} <claim link|payout id>`,
    help,
    args: [1, 1],
    ...acting,
    run: async (call, { args: [payout], reason }) => {
      const data = await call<ClaimLinkState>('POST', `/claim-links/${change}`, { payout, reason })
      return { data, text: `${data.payoutId} of ${data.userId}, ${data.status}: link ${data.isDown ? 'down' : 'up'}` }
    },
  }
}

const passcodeLine = ({ id, label, state, used, maxUses, expiresAt }: Passcode) => [
  id,
  label,
  state,
  maxUses === null ? `used ${used}` : `used ${used} of ${maxUses}`,
  expiresAt ?? '',
]
