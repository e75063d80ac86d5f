import type { Condition, Observation } from '#domain/alertPlan.ts'
import { isoOf } from '#domain/time.ts'
import type { TroubleKind } from '#domain/trouble.ts'
import { plural } from '#domain/words.ts'
import type { TroubleRow } from '../db/objectTroubles.ts'
import { relayerLabel, relayerShortage } from '../readiness/readiness.ts'
import { relayerName } from '../relayer/api.ts'
import type { DeploymentState, RelayerState } from './deploymentState.ts'

/** Under load a job may wait for a few steps. */
const stalledAfterMs = 30_000 // 30 seconds
/** Alerts start at this share of the size at which a Relayer takes no new work. */
const largeShare = 0.8
/** Alerts sent individually per kind; the rest share one alert. A node that hides logs can halt many wallets. */
const maxOfKind = 20

/** A single failing webhook is its owner's problem. This many or more, if over half of all webhooks, point to ours. */
const minFailingWebhooks = 5

/** Conditions that need an operator's attention now. docs/operations.md explains every key. */
export function observe(state: DeploymentState): Observation {
  const { networks, relayers, overdue, channels, webhooks, lateExport, restores, troubles } = state
  const lost = troubles.filter(({ kind }) => kind === 'alarm_lost')
  return {
    conditions: [
      ...networks.flatMap(({ chainId, problems }) =>
        problems.length > 0 ? [{ key: `network:${chainId}`, text: problems.join('; ') }] : [],
      ),
      ...relayers.flatMap(relayerConditions),
      ...(overdue > 0 ? [{ key: 'treasuries_overdue', text: overdueText(overdue) }] : []),
      ...channels.map(({ channel, since }) => ({
        key: `messages:${channel}`,
        text: `the ${channel === 'email' ? 'email' : 'SMS'} provider has accepted no message since ${isoOf(since)}`,
      })),
      ...(webhooks.failing >= minFailingWebhooks && webhooks.failing * 2 > webhooks.on
        ? [{ key: 'webhooks_failing', text: `${webhooks.failing} of ${webhooks.on} webhooks fail` }]
        : []),
      ...(webhooks.late > 0 ? [{ key: 'webhooks_overdue', text: lateText(webhooks.late) }] : []),
      ...(lateExport === null
        ? []
        : [{ key: 'export_late', text: `no daily export was finished since ${isoOf(lateExport)}` }]),
      ...restores.map(({ userId, since }) => ({
        key: `restore_unfinished:${userId}`,
        text: `account ${userId} has been frozen for a restore since ${isoOf(since)}`,
      })),
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
      ...ofKind(troubles, 'schema_newer', ({ subject, detail }) => `${subject} does nothing: ${detail}`),
      ...(lost.length > 0 ? [{ key: 'alarms_lost', text: lostText(lost) }] : []),
    ],
    // Without a response from its node, an account's state is unknown; so is the queue of an object that does not respond.
    unknown: relayers.flatMap(({ account, health, ...relayer }) => [
      ...(account ? [] : [keyOf('relayer', relayer)]),
      ...(health ? [] : [keyOf('relayer_stalled', relayer), keyOf('relayer_size', relayer)]),
    ]),
  }
}

type Relayer = Pick<RelayerState, 'chainId' | 'shard'>
const keyOf = (name: string, { chainId, shard }: Relayer) => `${name}:${relayerName(chainId, shard)}`

function relayerConditions({ account, health, ...relayer }: RelayerState): Condition[] {
  const { chainId, shard } = relayer
  const label = relayerLabel(chainId, shard)
  const conditions = account
    ? relayerShortage(chainId, shard, account).map((text) => ({ key: keyOf('relayer', relayer), text }))
    : []
  if (!health) return conditions
  const { ready, stalledMs, holding, stepError, inFlight, databaseBytes, maxDatabaseBytes } = health
  if (stalledMs >= stalledAfterMs) {
    const why = holding ?? stepError ?? `${plural(inFlight, 'transaction')} in flight`
    const text = `${label}: sends nothing, ${plural(ready, 'job')} could be sent: ${why}`
    conditions.push({ key: keyOf('relayer_stalled', relayer), text })
  }
  if (databaseBytes > maxDatabaseBytes * largeShare) {
    const text = `${label}: its storage has ${databaseBytes} bytes and takes no new work above ${maxDatabaseBytes}`
    conditions.push({ key: keyOf('relayer_size', relayer), text })
  }
  return conditions
}

const overdueText = (count: number) =>
  `${count} ${count === 1 ? 'account has' : 'accounts have'} work that has not moved for two minutes`

const lateText = (count: number) =>
  `${count} ${count === 1 ? 'account has' : 'accounts have'} webhook events that have been overdue for four minutes`

const lostText = (lost: TroubleRow[]) =>
  `${plural(lost.length, 'alarm')} lost in the last ten minutes and re-armed by the cron: ${lost
    .slice(0, 3)
    .map(({ subject }) => subject)
    .join(', ')}`

/** The oldest troubles as separate conditions, each with its own start and end; the rest as one condition. */
function ofKind(troubles: TroubleRow[], kind: TroubleKind, text: (trouble: TroubleRow) => string): Condition[] {
  const found = troubles.filter((trouble) => trouble.kind === kind)
  const rest = found.length - maxOfKind
  return [
    ...found.slice(0, maxOfKind).map((trouble) => ({ key: `${kind}:${trouble.subject}`, text: text(trouble) })),
    ...(rest > 0 ? [{ key: `${kind}:more`, text: `${rest} more of ${kind}; see the log` }] : []),
  ]
}
