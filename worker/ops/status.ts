import { signUpModeOf } from '#domain/signUpMode.ts'
import { isoOf } from '#domain/time.ts'
import type { OpsStatus, RelayerState, Stuck, StuckJob, WatchReport } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { countSuspended } from '../db/operatorControls.ts'
import { listAlerts } from '../db/troubles.ts'
import { countOverdue, listOverdue } from '../db/watchdog.ts'
import type { Env } from '../env.ts'
import { readinessProblems, relayersInUse } from '../readiness/readiness.ts'
import { readWatches, type WatchState } from '../readiness/watches.ts'
import { currentStop, webhooksState } from './stops.ts'

const overdueAfterMs = 120_000 // 2 minutes
const maxListed = 100

/** The state of the deployment at a glance. */
export async function opsStatus(deps: Deps): Promise<OpsStatus> {
  const { env, db, now } = deps
  const [problems, stop, webhooks, alerts, overdueTreasuries, suspended, ...states] = await Promise.all([
    readinessProblems(deps),
    currentStop(deps),
    webhooksState(deps),
    listAlerts(db),
    countOverdue(db, now() - overdueAfterMs),
    countSuspended(db),
    ...relayersInUse(env).map(({ name }) => relayerState(env, name)),
  ])
  return {
    ready: problems.length === 0,
    problems,
    stop,
    webhooks,
    alerts: alerts.map(({ key, text, since }) => ({ key, text, since: isoOf(since) })),
    relayers: states,
    overdueTreasuries,
    suspended,
    signUp: signUpModeOf(env),
  }
}

/** Accounts and jobs that are stuck. An account's report (users.ts) says why its work waits. */
export async function stuckWork({ env, db, now }: Deps): Promise<Stuck> {
  const [overdue, ...jobs] = await Promise.all([
    listOverdue(db, now() - overdueAfterMs, maxListed),
    ...relayersInUse(env).map(({ name }) => stuckJobs(env, name)),
  ])
  return {
    overdueTreasuries: overdue.map(({ userId, since }) => ({ userId, since: isoOf(since) })),
    jobs: jobs.flat(),
  }
}

/** What reads idle wallets. */
export const watchReports = async ({ env }: Deps): Promise<WatchReport[]> => (await readWatches(env)).map(toReport)

function toReport({ name, health }: WatchState): WatchReport {
  if (health === null) {
    const unknown = { wallets: 0, busy: 0, secondsBetweenSweeps: 0, lastSweep: null }
    return { name, ...unknown, problem: 'it does not respond' }
  }
  const { wallets, busy, periodMs, lastSweep, lateSince, problem } = health
  const late = lateSince === null ? null : `no sweep has read all wallets since ${isoOf(lateSince)}`
  return {
    name,
    wallets,
    busy,
    secondsBetweenSweeps: periodMs / 1000,
    lastSweep: lastSweep && {
      at: isoOf(lastSweep.endedAt),
      block: lastSweep.block,
      ms: lastSweep.ms,
      woken: lastSweep.woken,
    },
    problem: [late, problem].filter((one) => one !== null).join(': ') || null,
  }
}

async function relayerState(env: Env, name: string): Promise<RelayerState> {
  const relayer = env.RELAYER.getByName(name)
  const [account, health] = await Promise.allSettled([relayer.account(), relayer.health()])
  const { address = null, balance = null } = account.status === 'fulfilled' ? account.value : {}
  const state = health.status === 'fulfilled' ? health.value : null
  const full = state?.isFull ? 'its storage is full' : null
  return {
    name,
    address,
    balance: balance === null ? null : ethText(balance),
    problem: state ? (state.holding ?? state.stepError ?? full) : 'it does not respond',
    waiting: state?.waiting ?? 0,
    oldestAt: state?.oldestAt ? isoOf(state.oldestAt) : null,
    inFlight: state?.inFlight ?? 0,
  }
}

const wei = 10n ** 18n
/** Decimal ETH with four decimals, rounded down. */
const ethText = (amount: bigint) => `${amount / wei}.${String(((amount % wei) * 10_000n) / wei).padStart(4, '0')}`

async function stuckJobs(env: Env, name: string): Promise<StuckJob[]> {
  try {
    const jobs = await env.RELAYER.getByName(name).stuckJobs(maxListed)
    return jobs.map(({ id, userId, kind, state, since, retryAt, reason }) => ({
      kind,
      id,
      userId,
      status: state,
      since: isoOf(since),
      retryAt: isoOf(retryAt),
      why: reason ?? 'waiting for its turn',
    }))
  } catch {
    const now = isoOf(Date.now())
    return [
      {
        kind: 'relayer',
        id: name,
        userId: '',
        status: 'unknown',
        since: now,
        retryAt: now,
        why: 'it does not respond',
      },
    ]
  }
}
