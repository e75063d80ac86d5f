import { type AlertRow, planAlerts } from '#domain/alerts.ts'
import { isoOf } from '#domain/time.ts'
import type { Db } from '../db/d1.ts'
import { deleteAlerts, insertAlerts, listAlerts, markAnnounced } from '../db/troubles.ts'
import type { Env } from '../env.ts'
import { email, paragraph, unchanged } from '../notifications/email.ts'
import type { MessageProvider } from '../notifications/message.ts'
import { messageProviderFrom } from '../notifications/messageProvider.ts'
import { logError, logWarning } from '../observability/log.ts'
import { type Metric, metricsFrom } from '../observability/metrics.ts'
import type { WatchState } from '../readiness/watches.ts'
import { relayerName } from '../relayer/api.ts'
import { moreAbout, observe } from './conditions.ts'
import { type DeploymentState, type RelayerState, readDeployment } from './deploymentState.ts'

/**
 * Runs once a minute. Alerts operators once when a condition has lasted from one check to the next, and once when it ends.
 * An alert that no receiver accepted is sent again at the next check. Also writes the minute's metrics. `now` in ms.
 */
export async function checkAlerts(env: Env, db: Db, now: number): Promise<void> {
  const [known, state] = await Promise.all([listAlerts(db), readDeployment(env, db, now)])
  const metrics = metricsFrom(env.METRICS)
  for (const metric of minuteMetrics(state, now)) metrics.record(metric)
  const { seen, start, end, forget } = planAlerts(known, observe(state), now)
  const messages = messageProviderFrom(env, db, () => now)
  await insertAlerts(db, seen)
  await deleteAlerts(
    db,
    forget.map(({ key }) => key),
  )
  for (const alert of start)
    if (await sendAlert(env, messages, alert, 'started')) await markAnnounced(db, alert.key, now)
  for (const alert of end) if (await sendAlert(env, messages, alert, 'ended')) await deleteAlerts(db, [alert.key])
}

const timeoutMs = 5_000 // 5 seconds

/**
 * Announces the start or end of a condition in the log, by email and to the webhook. Returns true if at least one configured
 * channel accepted it, or if none is configured.
 */
export async function sendAlert(
  env: Pick<Env, 'ALERT_EMAIL' | 'ALERT_WEBHOOK' | 'APP_ORIGIN'>,
  messages: MessageProvider,
  alert: AlertRow,
  state: 'started' | 'ended',
): Promise<boolean> {
  const { key, since, text } = alert
  const { name, command } = moreAbout(key)
  logWarning(`alert_${state}`, { condition: key, since: isoOf(since), text, command })
  const title = `${state === 'started' ? 'Alert' : 'Resolved'}: ${text}`
  const channels = [
    ...(env.ALERT_EMAIL ? [byEmail(env.ALERT_EMAIL)] : []),
    ...(env.ALERT_WEBHOOK ? [toWebhook(env.ALERT_WEBHOOK)] : []),
  ]
  const results = await Promise.allSettled(channels)
  for (const result of results)
    if (result.status === 'rejected') logError('alert_not_sent', { condition: key }, result.reason)
  return results.length === 0 || results.some(({ status }) => status === 'fulfilled')

  async function byEmail(to: string): Promise<void> {
    const parts = [
      paragraph(title),
      unchanged(`Condition ${key} of ${env.APP_ORIGIN}, since ${isoOf(since)}.`),
      unchanged(`Look with: ${command}. The section ${name} of Operations explains the alert.`),
    ]
    await messages.send(email({ id: `alert:${key}:${since}:${state}`, to, subject: title.slice(0, 120), parts }))
  }
  async function toWebhook(url: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: title, condition: key, state, since: isoOf(since), command }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the alert webhook returned ${response.status}`)
  }
}

/**
 * The metrics of one minute; docs/operations.md explains each value. Writes few points with several values each, because
 * Cloudflare limits the points per invocation. Values that could not be read are left out. `now` in ms.
 */
export function minuteMetrics(state: DeploymentState, now: number): Metric[] {
  const { networks, relayers, watches, overdue, troubles, channels, webhooks, database } = state
  const halted = troubles.filter(({ kind }) => kind === 'wallet_halted').length
  return [
    ...networks.map(({ chainId, problems }) => metric('network', `${chainId}`, problems.length)),
    ...relayers.flatMap(relayerMetrics),
    ...watches.flatMap((watch) => watchMetrics(watch, now)),
    ...(['email', 'sms'] as const).map((channel) => {
      const since = channels.find((failing) => failing.channel === channel)?.since
      return metric('unsent_messages', channel, since === undefined ? 0 : (now - since) / 1000)
    }),
    metric('webhooks', '', webhooks.on, webhooks.failing, webhooks.disabled, webhooks.late),
    metric('deployment', '', halted, overdue, database.bytes, database.ms),
  ]
}

function relayerMetrics({ chainId, shard, account, health }: RelayerState): Metric[] {
  const name = relayerName(chainId, shard)
  const metrics: Metric[] = []
  if (account) metrics.push(metric('relayer_balance', name, Number(account.balance) / 1e18))
  if (account?.runwayHours != null) metrics.push(metric('relayer_runway', name, account.runwayHours))
  if (health) {
    const { ready, readyMs, inFlight, stepError, databaseBytes } = health
    metrics.push(metric('relayer', name, ready, readyMs / 1000, inFlight, stepError === null ? 0 : 1, databaseBytes))
  }
  return metrics
}

function watchMetrics({ name, health }: WatchState, now: number): Metric[] {
  if (!health?.lastSweep) return []
  const { endedAt, ms, woken } = health.lastSweep
  return [metric('watch', name, health.wallets, health.busy, (now - endedAt) / 1000, ms, woken)]
}

const metric = (name: string, subject: string, ...values: number[]): Metric => ({ name, subject, values })
