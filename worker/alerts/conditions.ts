import type { Observation, TroubleKind } from '#domain/alerts.ts'
import { isoOf } from '#domain/time.ts'
import { plural } from '#domain/words.ts'
import type { TroubleRow } from '../db/troubles.ts'
import { relayerLabel, relayerShortage } from '../readiness/readiness.ts'
import type { WatchState } from '../readiness/watches.ts'
import { relayerName } from '../relayer/api.ts'
import type { DeploymentState, RelayerState } from './deploymentState.ts'

/** Under load a job may wait for a few steps. */
const stalledAfterMs = 30_000 // 30 seconds
/** Alerts start at this share of the size at which a Relayer takes no new work. */
const largeShare = 0.8
/** Alerts sent individually per kind; the rest share one alert. A node that hides logs can halt many wallets. */
const maxOfKind = 20

/** D1 is limited to 10 GB. */
const largeDatabaseBytes = 7_000_000_000
/** A query without rows usually takes a few ms. Treasuries wait for two seconds before they sign nothing. */
const slowDatabaseMs = 1_000 // 1 second

/** Failing webhooks are their owner's problem. Those of this many accounts, if more than half of all, point to ours. */
const minFailingAccounts = 5

/** Operators are alerted to these. The command of `npm run ops` shows more; docs/operations.md has a section for each. */
const commands = {
  relayer: 'status',
  relayer_stalled: 'stuck',
  relayer_size: 'stuck',
  network: 'status',
  watch_late: 'watch',
  wallet_halted: 'user <id>',
  treasuries_overdue: 'stuck',
  alarms_lost: 'stuck',
  database_size: 'status',
  database_slow: 'status',
  account_size: 'user <id>',
  history_late: 'user <id>',
  schema_newer: 'status',
  messages: 'status',
  webhooks_failing: 'status',
  webhooks_overdue: 'status',
  export_late: 'status',
  restore_unfinished: 'restore-user <id> status',
} as const
type Name = keyof typeof commands
export const conditionNames = Object.keys(commands) as Name[]

/** The name of an alert's condition, and the command line that shows more. */
export function moreAbout(key: string): { name: string; command: string } {
  const name = key.split(':')[0] as Name
  return { name, command: `npm run ops -- ${commands[name]}` }
}
/** Begins with the condition's name, so that operators find its section. */
type Key = Name | `${Name}:${string}`
type Condition = { key: Key; text: string }

/** `subject`: what it is about, if there may be several. */
const condition = (name: Name, text: string, subject?: string): Condition => ({ key: keyOf(name, subject), text })
const keyOf = (name: Name, subject?: string): Key => (subject === undefined ? name : `${name}:${subject}`)

/** Conditions that need an operator's attention now. */
export function observe(state: DeploymentState): Observation & { conditions: Condition[] } {
  const { networks, relayers, watches, overdue, channels, webhooks, lateExport, restores, troubles, database } = state
  const lost = troubles.filter(({ kind }) => kind === 'alarm_lost')
  return {
    conditions: [
      ...networks.flatMap(({ chainId, problems }) =>
        problems.length > 0 ? [condition('network', problems.join('; '), `${chainId}`)] : [],
      ),
      ...relayers.flatMap(relayerConditions),
      ...watches.flatMap(watchConditions),
      ...(overdue > 0 ? [condition('treasuries_overdue', overdueText(overdue))] : []),
      ...channels.map(({ channel, since }) => condition('messages', unsentText(channel, since), channel)),
      ...webhooksFailing(webhooks),
      ...(database.bytes > largeDatabaseBytes
        ? [condition('database_size', `D1 has ${database.bytes} bytes of at most 10 GB`)]
        : []),
      ...(database.ms > slowDatabaseMs
        ? [condition('database_slow', `D1 needed ${database.ms} ms for a query without rows`)]
        : []),
      ...(webhooks.late > 0 ? [condition('webhooks_overdue', lateText(webhooks.late))] : []),
      ...(lateExport === null
        ? []
        : [condition('export_late', `no daily export was finished since ${isoOf(lateExport)}`)]),
      ...restores.map(({ userId, since }) =>
        condition(
          'restore_unfinished',
          `account ${userId} has been frozen for a restore since ${isoOf(since)}`,
          userId,
        ),
      ),
      ...ofKind(
        troubles,
        'wallet_halted',
        ({ subject, userId, detail }) => `wallet ${subject} of ${userId} is halted: ${detail}`,
      ),
      ...ofKind(
        troubles,
        'account_size',
        ({ subject, detail }) => `the Treasury of ${subject} is near its limit: ${detail}`,
      ),
      ...ofKind(
        troubles,
        'history_late',
        ({ subject, since, detail }) => `the History of ${subject} does not follow since ${isoOf(since)}: ${detail}`,
      ),
      ...ofKind(troubles, 'schema_newer', ({ subject, detail }) => `${subject} does nothing: ${detail}`),
      ...(lost.length > 0 ? [condition('alarms_lost', lostText(lost))] : []),
    ],
    // Without a response from its node, an account's state is unknown; so is the queue of an object that does not respond.
    unknown: relayers.flatMap(({ account, health, chainId, shard }) => {
      const relayer = relayerName(chainId, shard)
      return [
        ...(account ? [] : [keyOf('relayer', relayer)]),
        ...(health ? [] : [keyOf('relayer_stalled', relayer), keyOf('relayer_size', relayer)]),
      ]
    }),
  }
}

function relayerConditions({ account, health, chainId, shard }: RelayerState): Condition[] {
  const name = relayerName(chainId, shard)
  const label = relayerLabel(chainId, shard)
  const conditions = account
    ? relayerShortage(chainId, shard, account).map((text) => condition('relayer', text, name))
    : []
  if (!health) return conditions
  const { ready, stalledMs, holding, stepError, inFlight, databaseBytes, maxDatabaseBytes } = health
  if (stalledMs >= stalledAfterMs) {
    const why = holding ?? stepError ?? `${plural(inFlight, 'transaction')} in flight`
    const text = `${label}: sends nothing, ${plural(ready, 'job')} could be sent: ${why}`
    conditions.push(condition('relayer_stalled', text, name))
  }
  if (databaseBytes > maxDatabaseBytes * largeShare) {
    const text = `${label}: its storage has ${databaseBytes} bytes and takes no new work above ${maxDatabaseBytes}`
    conditions.push(condition('relayer_size', text, name))
  }
  return conditions
}

/** Also if it does not respond: its wallets then read themselves, but only once they miss it. */
function watchConditions({ name, health }: WatchState): Condition[] {
  if (health === null) return [condition('watch_late', `Watch ${name} does not respond`, name)]
  const { lateSince, wallets, problem } = health
  if (lateSince === null) return []
  const text = `Watch ${name} has not read its ${plural(wallets, 'wallet')} since ${isoOf(lateSince)}`
  return [condition('watch_late', `${text}: ${problem ?? 'its alarm has not run'}`, name)]
}

/** Counts accounts, because all webhooks of a single account may fail by its own doing. */
function webhooksFailing({ on, failing, accounts }: DeploymentState['webhooks']): Condition[] {
  if (accounts.failing < minFailingAccounts || accounts.failing * 2 <= accounts.on) return []
  const text = `${failing} of ${on} webhooks fail, in ${accounts.failing} of ${accounts.on} accounts`
  return [condition('webhooks_failing', text)]
}

const overdueText = (count: number) =>
  `${count} ${count === 1 ? 'account has' : 'accounts have'} work that has not moved for two minutes`

const unsentText = (channel: 'email' | 'sms', since: number) =>
  `the ${channel === 'email' ? 'email' : 'SMS'} provider has accepted no message since ${isoOf(since)}`

const lateText = (count: number) =>
  `${count} ${count === 1 ? 'account has' : 'accounts have'} webhook events that have been overdue for four minutes`

const lostText = (lost: TroubleRow[]) =>
  `${plural(lost.length, 'alarm')} lost in the last ten minutes and re-armed by the cron: ${lost
    .slice(0, 3)
    .map(({ subject }) => subject)
    .join(', ')}`

/** The oldest troubles as separate conditions, each with its own start and end; the rest as one condition. */
function ofKind(troubles: TroubleRow[], kind: TroubleKind & Name, text: (trouble: TroubleRow) => string): Condition[] {
  const found = troubles.filter((trouble) => trouble.kind === kind)
  const rest = found.length - maxOfKind
  return [
    ...found.slice(0, maxOfKind).map((trouble) => condition(kind, text(trouble), trouble.subject)),
    ...(rest > 0 ? [condition(kind, `${rest} more of ${kind}; see the log`, 'more')] : []),
  ]
}
