/** A Relayer on a real chain, for relayer*.test.ts. Each test has its own shard, and therefore its own account. */
import { runInDurableObject } from 'cloudflare:test'
import { parseTransaction } from 'viem/utils'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Address, Hex } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { type JobReport, relayerName } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { patient } from '../support/patience.ts'
import { env, party, WorkerChain } from '../support/workerChain.ts'
import type { Treasury } from './relayerEntry.ts'

export { env, party }
export const chain = new WorkerChain(84532)
/** For faults that hit only the sending of transactions. */
export const sendRaw = ['eth_sendRawTransaction']

let shard = 0
let account: Address

/** Call once per file. After each test it checks what was signed (I6). */
export function setUpRelayers(): void {
  // Accounts stay on the chain, and files run in any order, each perhaps in another process.
  beforeAll(() => {
    shard = Math.floor(Math.random() * 1e9)
  })
  beforeEach(async () => {
    shard += 1
    account = relayerAccount(env.RELAYER_SEED_V1, 84532, shard).address
    await chain.giveEther(account)
  })
  afterEach(async () => {
    for (const { nonce, contents } of await contentsByNonce()) {
      expect(contents, `I6: contents signed for nonce ${nonce}`).toHaveLength(1)
    }
  })
}

export const relayer = () => env.RELAYER.getByName(relayerName(84532, shard))
export const relayerAddress = () => account
/** Unique to the running test. */
export const unique = (name: string) => `${name} ${shard}`
export const recipient = (name: string) => party(unique(name)).address
export const wallet = (name: string, amount?: bigint) => chain.createWallet(unique(name), amount)

/** Submits a send of 2.5 USDC from a new wallet to the recipient of the same name. */
export async function submitSend(name: string, over: { userId?: string; lifeSeconds?: number } = {}) {
  const job = await chain.createSend(await wallet(name), { to: recipient(name), ...over })
  await relayer().submit([job])
  return job
}

export type AttemptRow = { nonce: number; hash: Hex; raw: Hex; is_cancellation: number }

export function rows<Row extends Record<string, SqlStorageValue>>(query: string): Promise<Row[]> {
  return runInDurableObject(relayer(), (_: Relayer, { storage }) => storage.sql.exec<Row>(query).toArray())
}

export const attempts = () => rows<AttemptRow>('SELECT nonce, hash, raw, is_cancellation FROM attempt ORDER BY seq')

/** The contents signed for each nonce, without cancellations. */
export async function contentsByNonce() {
  const contents = new Map<number, Set<string>>()
  for (const { nonce, raw, is_cancellation } of await attempts()) {
    const { to, data = '0x', value = 0n } = parseTransaction(raw)
    if (is_cancellation) expect([to?.toLowerCase(), data, value]).toEqual([account.toLowerCase(), '0x', 0n])
    else contents.set(nonce, (contents.get(nonce) ?? new Set()).add(`${to}:${data}:${value}`))
  }
  return [...contents].map(([nonce, set]) => ({ nonce, contents: [...set] }))
}

export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false>,
  withinMs = patient(8_000),
): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const found = await probe()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export async function report(id: string): Promise<JobReport> {
  const [found] = await relayer().status([id])
  return found ?? { id, state: 'waiting', reason: 'unknown' }
}

export const becomes = (id: string, state: JobReport['state']) =>
  until(`${id} ${state}`, async () => {
    const now = await report(id)
    return now.state === state && now
  })

export const hasAttempts = (count: number) => until(`${count} attempts`, async () => (await attempts()).length >= count)

/** Mines and wakes the Relayer until nothing waits or is in flight; then no nonce may be missing (I6). */
export async function settle(): Promise<void> {
  await until('nothing in flight', async () => {
    await chain.mine()
    await relayer().wakeUp()
    const [left] = await rows<{ n: number }>(
      `SELECT (SELECT count(*) FROM account_tx WHERE state = 'open')
         + (SELECT count(*) FROM job WHERE state IN ('waiting','in_flight')) AS n`,
    )
    return left?.n === 0
  })
  const { nextNonce, inFlight } = await relayer().account()
  expect(inFlight).toBe(0)
  expect(await chain.nonce(account)).toBe(nextNonce)
}

/** Waits until the pool has the transaction, whatever the Relayer knows. */
export const isInPool = () =>
  until(
    'the pool has the transaction',
    async () => (await chain.node<Hex>('eth_getTransactionCount', account, 'pending')) !== '0x0',
  )

export const transaction = (hash: Hex | undefined) =>
  chain.node<{ to: Address; nonce: Hex }>('eth_getTransactionByHash', hash)

/** Sets the Relayer's clock `ms` ahead of the real one. */
export async function advanceClock(ms: number): Promise<void> {
  await runInDurableObject(relayer(), (instance: Relayer) => {
    instance.clock = { now: () => Date.now() + ms }
  })
}

/** Runs inside the Treasury of relayerEntry.ts. */
export function inTreasury<T>(userId: string, work: (treasury: Treasury) => T): Promise<T> {
  return runInDurableObject(env.TREASURY.getByName(userId), (treasury: unknown) => work(treasury as Treasury))
}

/** Calls `make` sequentially, because the chain's helpers share accounts. */
export async function sequence<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let i = 0; i < count; i++) made.push(await make(i))
  return made
}
