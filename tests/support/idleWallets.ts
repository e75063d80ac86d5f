/** Many accounts with one idle wallet each, the Watch that reads them, and a node, on a clock that only the test moves. */
import { DatabaseSync } from 'node:sqlite'
import { dayMs } from '#domain/time.ts'
import { periodMs } from '#domain/watch.ts'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import type { Address } from '../../worker/chain/types.ts'
import { Alarms } from '../../worker/durable/alarms.ts'
import { migrate } from '../../worker/durable/migrations.ts'
import { runAlarm } from '../../worker/treasury/alarmHandlers.ts'
import { isNodeTrouble } from '../../worker/treasury/core/chainHeads.ts'
import type { AlarmKind, Context } from '../../worker/treasury/core/context.ts'
import { Outbox } from '../../worker/treasury/outbox/delivery/flush.ts'
import { heedHints } from '../../worker/treasury/settlement/hints.ts'
import { markActive } from '../../worker/treasury/wallets/idleReads.ts'
import type { IdleWallet } from '../../worker/watch/api.ts'
import { watchMigrations } from '../../worker/watch/migrations.ts'
import { Sweeper } from '../../worker/watch/sweeper.ts'
import { addressOf, usdc } from './build.ts'
import { computeUnits } from './computeUnits.ts'
import { startLedgerNode } from './ledgerNode.ts'
import { createMemoryTreasury, storageOf } from './memoryTreasury.ts'

const funds = usdc('100')
const sessionKey: Address = `0x${'c'.repeat(40)}`
const someone: Address = `0x${'e'.repeat(40)}`

type Options = {
  /** Accounts with a Treasury. */
  accounts: number
  /** Further wallets that Watch has, whose Treasuries renew them daily and never read. */
  others?: number
  kind?: 'smart' | 'imported'
  behind?: () => number
}
export type IdleWallets = Awaited<ReturnType<typeof createIdleWallets>>

export async function createIdleWallets({ accounts, others = 0, kind = 'smart', behind = () => 0 }: Options) {
  const clock = { now: Date.UTC(2026, 10, 20, 12) }
  const rows = { treasuries: 0, watch: 0 }
  const sends = new Map<Address, bigint>()
  const first = createMemoryTreasury(funds, funds)
  const { contractSets, usdc: token } = first.context.chains[8453]
  first.close()
  const addresses = Array.from({ length: accounts }, (_, i) => addressOf(0x1000 + i).toLowerCase() as Address)
  const node = await startLedgerNode({
    usdc: token,
    now: () => clock.now,
    opening: Object.fromEntries(addresses.map((address) => [address, funds])),
    behind,
    state: (wallet) => ({
      ...{ sessionKey, validUntil: 4_000_000_000, rotationDisabled: false, sessionRevoked: false },
      ...{ epoch: 1, remaining: funds - (sends.get(wallet) ?? 0n), top: 0n, seen: 0n, ownerNonce: 0n },
      purchaseAllowance: 0,
    }),
  })
  const chain = new RpcChain(8453, contractSets, [node.url])

  const createWatch = () => {
    const storage = counted(storageOf(new DatabaseSync(':memory:')), (n) => {
      rows.watch += n
    })
    migrate(storage, watchMigrations)
    return new Sweeper({
      sql: storage.sql,
      chain: () => chain,
      settings: { CONFIRM_DEPTH: '2' },
      now: () => clock.now,
      tell: async (userId, hints) => {
        woken.push({ userId, at: clock.now })
        return heedHints(users.get(userId)!.context, hints)
      },
    })
  }
  const woken: { userId: string; at: number }[] = []
  /** `isDown`: calls of it fail, and its alarm does not run. */
  const watch = { sweeper: createWatch(), isDown: false, nextAt: clock.now + periodMs(1) }
  const users = new Map(addresses.map((address, i) => [`usr_${i}`, createUser(`usr_${i}`, address)]))

  function createUser(userId: string, address: Address) {
    const memory = createMemoryTreasury(funds, funds)
    const { context, store } = memory
    const storage = counted(memory.storage, (n) => {
      rows.treasuries += n
    })
    const renew = async (wallet: IdleWallet) => {
      if (watch.isDown) throw new Error('Watch is down')
      return watch.sweeper.renew(wallet)
    }
    Object.assign(context, { userId, now: () => clock.now })
    Object.assign(context.env, { CONFIRM_DEPTH: '2', WATCH: { getByName: () => ({ renew }) } })
    context.chains[8453] = chain
    store.run('UPDATE wallet SET scanned_block = 1000, final_block = 1000, kind = ?, address = ?', kind, address)
    const outbox = new Outbox(context)
    const setAlarm = async () => {
      rows.treasuries += 1
    }
    const object = { sql: storage.sql, transactionSync: storage.transactionSync, setAlarm }
    const platform = { ...object, deleteAlarm: async () => {}, getAlarm: async () => 1 }
    const alarms = new Alarms<AlarmKind>(platform as unknown as DurableObjectStorage, {
      now: () => clock.now,
      // There is neither a History for lists nor D1, in which settling is noted.
      run: async (kind) =>
        kind === 'history' || kind === 'settle'
          ? null
          : runAlarm(context, outbox, kind as Exclude<AlarmKind, 'schema'>),
      onError: (_, error) => {
        if (!isNodeTrouble(error)) throw error
      },
      retryMs: 20_000,
      maxRunsInARow: 1,
    })
    context.schedule = (kind, at) => alarms.schedule(kind, at)
    markActive(context, 'wal')
    return { context, store, alarms, address }
  }

  const renewOthers = () => {
    for (let i = 0; i < others; i++)
      watch.sweeper.renew({
        ...{ userId: `other_${i}`, walletId: 'wal', kind, address: addressOf(0x90_0000 + i).toLowerCase() as Address },
        ...{ digest: otherDigest, block: 1_000 },
      })
  }
  let othersAt = 0
  /** What they all have: no money, and a session that nobody uses. */
  const otherDigest = (await chain.digests([{ kind, address: addressOf(0x90_0000) }], 1_000))[0]!

  /** Lets time pass. Returns how much the node and the objects did meanwhile, and when each Treasury was read (ms). */
  async function pass(ms: number) {
    const until = clock.now + ms
    const before = { calls: { ...node.calls }, ...rows }
    let ofSweeps = 0
    const readAt: Record<string, number[]> = {}
    const dueAt = new Map([...users].map(([id, { alarms }]) => [id, alarms.nextAt()]))
    for (;;) {
      let [next, at] = ['watch', watch.nextAt]
      for (const [id, due] of dueAt) if (due !== null && due < at) [next, at] = [id, due]
      if (at > until) break
      clock.now = Math.max(clock.now, at)
      if (next !== 'watch') {
        const { context, alarms } = users.get(next)!
        evict(context)
        const calls = total(node.calls)
        await alarms.handleAlarm()
        if (total(node.calls) > calls) readAt[next] = [...(readAt[next] ?? []), clock.now]
        dueAt.set(next, alarms.nextAt())
        continue
      }
      if (others > 0 && clock.now - othersAt >= dayMs / 2) {
        othersAt = clock.now
        renewOthers()
      }
      watch.nextAt = clock.now + periodMs(watch.sweeper.store.wallets())
      if (watch.isDown || watch.sweeper.store.wallets() === 0) continue
      const told = woken.length
      // Of the alarm.
      rows.watch += 1
      const unitsBefore = computeUnits(node.calls)
      await watch.sweeper.sweep()
      ofSweeps += computeUnits(node.calls) - unitsBefore
      for (const { userId } of woken.slice(told)) dueAt.set(userId, users.get(userId)!.alarms.nextAt())
    }
    clock.now = until
    const calls = Object.fromEntries(
      Object.entries(node.calls).map(([method, n]) => [method, n - (before.calls[method] ?? 0)] as const),
    )
    return {
      /** Compute units of the Treasuries, and of Watch. */
      units: { ofTreasuries: computeUnits(calls) - ofSweeps, ofSweeps },
      calls,
      treasuryRows: rows.treasuries - before.treasuries,
      watchRows: rows.watch - before.watch,
      readAt,
    }
  }
  /** A Treasury that has nothing to do for minutes is evicted; what Watch has told it is read at once. */
  const evict = (context: Context) => {
    if (!woken.some(({ userId, at }) => userId === context.userId && at === clock.now)) context.memory.clear()
  }

  return {
    node,
    clock,
    watch,
    createWatch,
    woken,
    users,
    pass,
    userOf: (i: number) => users.get(`usr_${i}`)!,
    walletOf: (i: number) => users.get(`usr_${i}`)!.store.wallet('wal')!,
    deposit: (i: number, value: bigint) => node.add([{ block: node.head(), from: someone, to: addresses[i]!, value }]),
    /** By someone who has the session key. */
    steal: (i: number, value: bigint) => {
      sends.set(addresses[i]!, (sends.get(addresses[i]!) ?? 0n) + value)
      node.add([{ block: node.head(), from: addresses[i]!, to: someone, value }])
    },
    async stop() {
      await node.stop()
    },
  }
}

const total = (calls: Record<string, number>) => Object.values(calls).reduce((sum, n) => sum + n, 0)

/** The storage, which from now on tells how many rows each statement writes. */
function counted(storage: DurableObjectStorage, add: (rows: number) => void): DurableObjectStorage {
  const { exec } = storage.sql
  storage.sql.exec = ((query: string, ...values: (string | number | null)[]) => {
    const cursor = exec(query, ...values)
    add(cursor.rowsWritten)
    return cursor
  }) as typeof exec
  return storage
}
