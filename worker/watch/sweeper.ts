import {
  afterReply,
  isConfirmed,
  isLate,
  isNews,
  maxWatched,
  mustWake,
  periodMs,
  renewed,
  type Sighting,
  type WakeReply,
  type Watched,
  wokenPerSweep,
} from '#domain/watch.ts'
import { notAhead } from '../chain/clockSkew.ts'
import { type Chain, type Hex, RpcError, RpcUnavailable } from '../chain/types.ts'
import { logWarning } from '../observability/log.ts'
import type { IdleWallet, Renewal, WalletHint, WatchHealth } from './api.ts'
import { toWatched, type WatchedRow } from './tables.ts'
import { type WalletKey, WalletStore } from './walletStore.ts'

/** Nodes behind one URL may lack the newest blocks, so another one is asked. */
const attemptsForBlock = 4
const lacksBlock = ({ message }: RpcError) =>
  /not (be )?found|unknown block|missing|block height|out of range/i.test(message)

/** A wallet that differs, as it was seen. */
type Difference = { key: WalletKey; seen: Sighting }

export type SweeperParts = {
  sql: SqlStorage
  chain: () => Chain
  settings: { CONFIRM_DEPTH: string; MAX_CLOCK_SKEW_SECONDS?: string | undefined }
  /** ms */
  now: () => number
  /** Tells a Treasury that these wallets of its user differ. */
  tell: (userId: string, hints: WalletHint[]) => Promise<WakeReply[]>
}

/** What a Watch does (api.ts), without its alarm. */
export class Sweeper {
  readonly store: WalletStore
  /** Replaceable in tests. */
  maxWatched = maxWatched
  wokenPerSweep = wokenPerSweep
  readonly #parts: SweeperParts
  #isSweeping = false
  #problem: string | null = null

  constructor(parts: SweeperParts) {
    this.#parts = parts
    this.store = new WalletStore(parts.sql)
  }

  renew(wallet: IdleWallet): Renewal {
    const { store } = this
    const now = this.#parts.now()
    const key = { user_id: wallet.userId, wallet_id: wallet.walletId }
    const known = store.get(key)
    if (known === null && store.wallets() >= this.maxWatched) return 'full'
    const next = renewed(known, wallet, now)
    if (known === null) store.add(wallet, next)
    else if (next.digest !== known.digest || next.renewedAt !== known.renewedAt) store.save(key, next)
    return isConfirmed(next, store.lastSweep(), store.wallets(), now) ? 'confirmed' : 'unconfirmed'
  }

  health(): WatchHealth {
    const { store } = this
    const wallets = store.wallets()
    const last = store.lastSweep()
    const since = wallets === 0 ? null : (last?.endedAt ?? store.firstAddedAt())
    const isOld = since !== null && isLate(since, wallets, this.#parts.now())
    return {
      wallets,
      busy: store.busy(),
      isFull: wallets >= this.maxWatched,
      periodMs: periodMs(wallets),
      lastSweep: last && {
        block: last.block,
        endedAt: last.endedAt,
        ms: last.endedAt - last.startedAt,
        woken: last.woken,
      },
      lateSince: isOld ? since : null,
      problem: this.#problem,
    }
  }

  /** Never throws: the next sweep follows in any case. */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return
    this.#isSweeping = true
    try {
      await this.#wake(await this.#readAll())
      this.#problem = null
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      logWarning('watch_sweep_failed', { chain: this.#parts.chain().chainId }, error)
    } finally {
      this.#isSweeping = false
    }
  }

  /** Reads all idle wallets at one block. Returns some that differ. Throws if it could not read all. */
  async #readAll(): Promise<Difference[]> {
    const { store } = this
    const { settings, now } = this.#parts
    const startedAt = now()
    store.forgetOld(startedAt)
    const chain = this.#parts.chain()
    const head = notAhead(await chain.head(), startedAt, settings.MAX_CLOCK_SKEW_SECONDS)
    const block = head.number - Number(settings.CONFIRM_DEPTH) + 1
    const last = store.lastSweep()
    if (!isNews(block, last, store.wallets(), startedAt))
      throw new RpcUnavailable(`the node is at block ${block}, after one that was at ${last!.block}`)

    const different: Difference[] = []
    let after: WalletKey = { user_id: '', wallet_id: '' }
    for (;;) {
      const rows = store.page(after, store.walletsPerCall(startedAt))
      if (rows.length === 0) break
      const digests = await this.#read(chain, rows, block)
      if (digests === null) continue
      for (const [i, digest] of digests.entries()) {
        const seen = { digest, block }
        const row = rows[i]!
        if (!mustWake(toWatched(row), seen, startedAt)) continue
        // Its Treasury may have read it meanwhile.
        const known = store.get(row)
        if (known && mustWake(known, seen, startedAt)) different.push({ key: row, seen })
      }
      after = rows.at(-1)!
    }
    const woken = different.slice(0, this.wokenPerSweep)
    store.recordSweep({ block, startedAt, endedAt: now() }, woken.length)
    return woken
  }

  /** Null if the node refuses as many wallets in one call; from then on fewer are read. */
  async #read(chain: Chain, rows: WatchedRow[], block: number, attempt = 1): Promise<Hex[] | null> {
    try {
      return await chain.digests(rows, block)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (lacksBlock(error) && attempt < attemptsForBlock) return this.#read(chain, rows, block, attempt + 1)
      if (lacksBlock(error) || rows.length === 1) throw error
      this.store.recordRefused(rows.length, this.#parts.now())
      return null
    }
  }

  async #wake(different: Difference[]): Promise<void> {
    const now = this.#parts.now()
    // Before the calls, so that one that fails is not repeated for an hour either.
    for (const { key } of different) this.#change(key, (known) => ({ ...known, wokenAt: now }))
    const perUser = Map.groupBy(different, ({ key }) => key.user_id)
    await Promise.all(
      [...perUser].map(async ([userId, list]) => {
        const hints = list.map(({ key, seen }) => ({ walletId: key.wallet_id, ...seen }))
        const replies = await this.#parts.tell(userId, hints).catch((error: unknown) => {
          logWarning('treasury_not_woken', { user: userId }, error)
          return []
        })
        for (const [i, reply] of replies.entries()) this.#change(list[i]!.key, (known) => afterReply(known, reply, now))
      }),
    )
  }

  #change(key: WalletKey, change: (known: Watched) => Watched | null): void {
    const known = this.store.get(key)
    if (known) this.store.save(key, change(known))
  }
}
