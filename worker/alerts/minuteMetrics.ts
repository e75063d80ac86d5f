import type { Metric } from '../observability/metrics.ts'
import { relayerName } from '../relayer/api.ts'
import type { DeploymentState, RelayerState } from './deploymentState.ts'

/**
 * The metrics of one minute; docs/operations.md explains each value. Writes few points with several values each, because
 * Cloudflare limits the points per invocation. Values that could not be read are left out. `now` in ms.
 */
export function minuteMetrics(state: DeploymentState, now: number): Metric[] {
  const { networks, relayers, overdue, troubles, channels, webhooks, databaseBytes } = state
  const halted = troubles.filter(({ kind }) => kind === 'wallet_halted').length
  return [
    ...networks.map(({ chainId, problems }) => metric('network', `${chainId}`, problems.length)),
    ...relayers.flatMap(relayerMetrics),
    ...(['email', 'sms'] as const).map((channel) => {
      const since = channels.find((failing) => failing.channel === channel)?.since
      return metric('unsent_messages', channel, since === undefined ? 0 : (now - since) / 1000)
    }),
    metric('webhooks', '', webhooks.on, webhooks.failing, webhooks.disabled, webhooks.late),
    metric('deployment', '', halted, overdue, databaseBytes),
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

const metric = (name: string, subject: string, ...values: number[]): Metric => ({ name, subject, values })
