import { parseLimits, withLimits } from '#domain/limits.ts'
import type { Region } from '#domain/region.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import { primaryDb } from '../db/d1.ts'
import type { Env } from '../env.ts'
import { keyring } from '../keyrings/keyring.ts'
import { Sealer } from '../keyrings/sealer.ts'
import { metricsFrom } from '../observability/metrics.ts'
import { stopReader } from '../stops/reader.ts'
import type { Context } from './core/context.ts'
import { paymentView } from './payments/views.ts'
import { ChainRefresh } from './settlement/chainRefresh.ts'
import type { Store } from './storage/store.ts'

/** Alerts start here. An object's SQLite holds 10 GB, and above 8 GB new work is refused (storage/store.ts). */
const largeBytes = 6_000_000_000

/** The context of a Treasury that has just been loaded: real time, real randomness, empty caches. `overrides` replace these. */
export function createContext(
  env: Env,
  store: Store,
  userId: string,
  schedule: Context['schedule'],
  overrides: Partial<Context> = {},
): Context {
  // Known from the next load on: the account is created before its owner is copied here.
  const region = store.first<{ region: Region | null }>('SELECT region FROM owner')?.region ?? null
  const reader = stopReader(env, region)
  const context: Context = {
    env,
    db: primaryDb(env.DB),
    userId,
    store,
    sealer: new Sealer(keyring(env, 'KEK'), () => context.now()),
    chains: chainsFrom(env),
    now: () => Date.now(),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    schedule,
    freeze: () => false,
    limits: withLimits(parseLimits(env.LIMITS), parseLimits(store.meta('limits'))),
    stop: { reader, after: reader.begun, mode: 'none', readAt: Number.NEGATIVE_INFINITY, reading: null },
    largeBytes,
    metrics: metricsFrom(env.METRICS),
    refreshWallet: (wallet, freshEnoughMs) => chainRefresh.refresh(wallet, freshEnoughMs),
    lastReadAt: (walletId) => chainRefresh.lastReadAt(walletId),
    paymentView: (payment) => paymentView(context, payment),
    usdcDomains: new Map(),
    heads: new Map(),
    mined: new Map(),
    paces: new Map(),
    snapshots: new Map(),
    balances: new Map(),
    keys: new Map(),
    codeChecks: new Map(),
    adoptedBlocks: new Map(),
    undos: new Map(),
    recipients: new Set(),
    lookups: new Map(),
    lookupsRunning: new Map(),
    established: false,
    unsentJobs: [],
    confirmed: [],
    webhooks: null,
    refillRefusedAt: new Map(),
    submittedAt: new Map(),
    endWaiters: new Map(),
    shard: null,
    ...overrides,
  }
  const chainRefresh = new ChainRefresh(context)
  return context
}
