import { parseLimits, withLimits } from '#domain/limits.ts'
import type { Region } from '#domain/region.ts'
import type { Bindings } from '../bindings.ts'
import { chainsFrom } from '../chain/rpcChain.ts'
import { primaryDb } from '../db/d1.ts'
import { keyring } from '../keyrings/keyring.ts'
import { Sealer } from '../keyrings/sealer.ts'
import { metricsFrom } from '../observability/metrics.ts'
import { stopReader } from '../stops/reader.ts'
import type { Context } from './core/context.ts'
import type { Store } from './core/storage/store.ts'
import { paymentView } from './payments/views.ts'
import { ChainRefresh } from './settlement/chainRefresh.ts'

/** The context of a Treasury that has just been loaded: real time, real randomness, nothing in memory. `overrides` replace these. */
export function createContext(
  env: Bindings,
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
    limits: withLimits(parseLimits(env.LIMITS), parseLimits(store.meta('limits'))),
    stop: {
      reader,
      after: reader.begun,
      mode: 'none',
      readAt: Number.NEGATIVE_INFINITY,
      reading: null,
      freeze: () => false,
    },
    metrics: metricsFrom(env.METRICS),
    chainReads: {
      refresh: (wallet, freshEnoughMs) => chainRefresh.refresh(wallet, freshEnoughMs),
      lastReadAt: (walletId) => chainRefresh.lastReadAt(walletId),
    },
    paymentView: (payment) => paymentView(context, payment),
    memory: new Map(),
    ...overrides,
  }
  const chainRefresh = new ChainRefresh(context)
  return context
}
