import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { encodeFunctionData, parseTransaction, toHex } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentWalletAbi, usdcAbi } from '../../worker/chain/abi.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { type RelayItem, type RelayReport, relayerName } from '../../worker/relayer/types.ts'
import { env, party, WorkerChain } from '../support/workerChain.ts'
import type { Treasury } from './relayerEntry.ts'

const chain = new WorkerChain(84532)
const sendRaw = ['eth_sendRawTransaction']
let shard = 0
let account: Address

/** Every test has a shard, and so an account, of its own. */
const relayer = () => env.RELAYER.getByName(relayerName(84532, shard))

beforeEach(async () => {
  shard += 1
  account = relayerAccount(env.RELAYER_SEED_V1, 84532, shard).address
  await chain.giveEther(account)
})

afterEach(async () => {
  await chain.fault({ mode: 'none' })
  for (const { nonce, contents } of await contentsByNonce()) {
    expect(contents, `I6: contents signed for account number ${nonce}`).toHaveLength(1)
  }
})

type AttemptRow = { nonce: number; hash: Hex; raw: Hex; empty: number }

function rows<Row extends Record<string, SqlStorageValue>>(query: string): Promise<Row[]> {
  return runInDurableObject(relayer(), (_: Relayer, { storage }) => storage.sql.exec<Row>(query).toArray())
}

const attempts = () => rows<AttemptRow>('SELECT nonce, hash, raw, empty FROM attempt ORDER BY seq')

/** What was signed for each number, leaving out empty transfers to ourselves. */
async function contentsByNonce() {
  const contents = new Map<number, Set<string>>()
  for (const { nonce, raw, empty } of await attempts()) {
    const { to, data = '0x', value = 0n } = parseTransaction(raw)
    if (empty) expect([to?.toLowerCase(), data, value]).toEqual([account.toLowerCase(), '0x', 0n])
    else contents.set(nonce, (contents.get(nonce) ?? new Set()).add(`${to}:${data}:${value}`))
  }
  return [...contents].map(([nonce, set]) => ({ nonce, contents: [...set] }))
}

async function until<T>(what: string, look: () => Promise<T | undefined | null | false>, withinMs = 8_000): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function report(id: string): Promise<RelayReport> {
  const [found] = await relayer().status([id])
  return found ?? { id, state: 'waiting', reason: 'unknown' }
}

const becomes = (id: string, state: RelayReport['state']) =>
  until(`${id} ${state}`, async () => {
    const now = await report(id)
    return now.state === state && now
  })

const hasAttempts = (count: number) => until(`${count} attempts`, async () => (await attempts()).length >= count)

/** Blocks and pokes until nothing is under way; then no number may be missing (I6). */
async function settle(): Promise<void> {
  await until('rest', async () => {
    await chain.mine()
    await relayer().kick()
    const [left] = await rows<{ n: number }>(
      `SELECT (SELECT count(*) FROM account_tx WHERE state = 'open')
         + (SELECT count(*) FROM item WHERE state IN ('waiting','carried')) AS n`,
    )
    return left?.n === 0
  })
  const { nextNonce, inFlight } = await relayer().account()
  expect(inFlight).toBe(0)
  expect(await chain.nonce(account)).toBe(nextNonce)
}

const transaction = (hash: Hex | undefined) => chain.node<{ to: Address; nonce: Hex }>('eth_getTransactionByHash', hash)
const recipient = (name: string) => party(`${name} ${shard}`).address
const wallet = (name: string, amount?: bigint) => chain.aWallet(`${name} ${shard}`, amount)

async function laterBy(ms: number): Promise<void> {
  await runInDurableObject(relayer(), (instance: Relayer) => {
    instance.clock = { now: () => Date.now() + ms }
  })
}

describe('delivery', () => {
  test('a lone send goes straight to its wallet, and the Treasury hears of it', async () => {
    const user = `lone ${shard}`
    const item = await chain.aSend(await wallet('lone'), { to: recipient('lone'), userId: user })
    expect(await relayer().submit([item])).toEqual({ accepted: [item.id], refused: [] })
    const sent = await relayer().wait(item.id, 3_000)
    expect(sent?.state).toBe('broadcast')
    expect((await transaction(sent?.txHash)).to).toBe(item.target.toLowerCase())

    const heard = (state: string) =>
      until(`the Treasury hears ${state}`, () =>
        runInDurableObject(env.TREASURY.getByName(user), (treasury: unknown) =>
          (treasury as Treasury).heard.find((told) => told.state === state),
        ),
      )
    expect(await heard('broadcast')).toEqual({ id: item.id, state: 'broadcast', txHash: sent?.txHash })

    await settle()
    expect(await report(item.id)).toEqual({ id: item.id, state: 'mined', txHash: sent?.txHash })
    expect(await heard('mined')).toEqual(await report(item.id))
    expect(await chain.usdcBalance(recipient('lone'))).toBe(2_500_000n)
  })

  test('three that wait while one is in flight go together through the Relay', async () => {
    const wallets = await sequence(4, (i) => wallet(`w${i}`))
    const items = await sequence(4, (i) => chain.aSend(wallets[i]!, { userId: `u${i}`, to: recipient(`r${i}`) }))
    await relayer().submit([items[0]!])
    await becomes(items[0]!.id, 'broadcast')
    await relayer().submit(items.slice(1))
    const hashes = await Promise.all(items.map(async ({ id }) => (await becomes(id, 'broadcast')).txHash))
    expect(new Set(hashes.slice(1)).size).toBe(1)
    expect((await transaction(hashes[1])).to).toBe(chain.contracts.relay.toLowerCase())

    await settle()
    for (const i of [0, 1, 2, 3]) expect(await chain.usdcBalance(recipient(`r${i}`))).toBe(2_500_000n)
  })

  test('one that comes while a transaction is in flight leaves after 300 ms without company', async () => {
    const from = await wallet('two')
    const [first, second] = await sequence(2, (i) => chain.aSend(from, { sequence: i }))
    await relayer().submit([first!])
    await becomes(first!.id, 'broadcast')
    await relayer().submit([second!])
    expect((await report(second!.id)).state).toBe('waiting')
    expect((await relayer().wait(second!.id, 3_000))?.state).toBe('broadcast')
    await settle()
  })

  test('many sends of one wallet, submitted backwards, all arrive', async () => {
    const from = await wallet('many')
    const items = await sequence(60, (i) => chain.aSend(from, { sequence: i, amount: 1_000n, to: recipient('many') }))
    await relayer().submit(items.toReversed())
    await settle()
    expect(await chain.usdcBalance(recipient('many'))).toBe(60_000n)
    expect((await contentsByNonce()).length).toBeLessThanOrEqual(3)
  })

  test('calls of other kinds travel together too', async () => {
    const items = await sequence(3, async (i): Promise<RelayItem> => {
      const { target, data, deadline } = await chain.aSend(await wallet(`call${i}`), { to: recipient(`call${i}`) })
      return { id: `call ${shard} ${i}`, userId: `u${i}`, kind: 'announce', target, data, deadline }
    })
    await relayer().submit(items)
    await settle()
    expect(await contentsByNonce()).toHaveLength(1)
    for (const i of [0, 1, 2]) expect(await chain.usdcBalance(recipient(`call${i}`))).toBe(2_500_000n)
  })

  test('an item with under 60 s left is dropped', async () => {
    const item = await chain.aSend(await wallet('late'), { lifeSeconds: 59 })
    await relayer().submit([item])
    expect(await becomes(item.id, 'dropped')).toMatchObject({ reason: 'too little time left' })
    expect(await attempts()).toEqual([])
  })
})

describe('failing items', () => {
  test('one that fails in simulation is parked with its reason, and the others go', async () => {
    const good = await sequence(3, async (i) => chain.aSend(await wallet(`good${i}`), { userId: `u${i}` }))
    const poor = await wallet('poor', 0n)
    const bad = await chain.aSend(poor, { userId: 'bad', to: recipient('bad') })
    await relayer().submit([good[0]!, bad, good[1]!, good[2]!])
    expect(await becomes(bad.id, 'parked')).toMatchObject({ reason: 'ERC20: transfer amount exceeds balance' })
    const hashes = await Promise.all(good.map(async ({ id }) => (await becomes(id, 'broadcast')).txHash))
    expect(new Set(hashes).size).toBe(1)
    await settle()

    await chain.mint(poor.address, 2_500_000n)
    await laterBy(60_000)
    await relayer().kick()
    const sent = await becomes(bad.id, 'broadcast')
    expect((await transaction(sent.txHash)).to).toBe(poor.address.toLowerCase())
    await settle()
    expect(await chain.usdcBalance(recipient('bad'))).toBe(2_500_000n)
  })

  test('a call to an address without code is not paid for', async () => {
    const item = await chain.aSend({ ...(await wallet('real')), address: recipient('nobody') })
    await relayer().submit([item])
    expect(await becomes(item.id, 'parked')).toMatchObject({ reason: 'no code at the target' })
    expect(await attempts()).toEqual([])
  })

  test.each([
    { company: 0, how: 'alone' },
    { company: 3, how: 'in a batch' },
  ])('one that fails on chain $how is tried alone, then rests with its reason', async ({ company }) => {
    const emptied = await wallet('emptied')
    const bad = await chain.aSend(emptied, { userId: 'bad' })
    const good = await sequence(company, async (i) => chain.aSend(await wallet(`c${i}`), { userId: `u${i}` }))
    await relayer().submit([bad, ...good])
    await becomes(bad.id, 'broadcast')
    const [{ raw, hash }] = (await attempts()) as [AttemptRow]
    // The money leaves between broadcast and block.
    await chain.node('anvil_dropTransaction', hash)
    const args = [chain.contracts.usdc, emptied.owner.address, 1_000_000_000n] as const
    const data = encodeFunctionData({ abi: agentWalletAbi, functionName: 'withdraw', args })
    await chain.act(emptied.owner.address, emptied.address, data)
    await chain.node('eth_sendRawTransaction', raw)
    await settle()
    expect(await report(bad.id)).toMatchObject({ state: 'parked', reason: 'ERC20: transfer amount exceeds balance' })
    for (const { id } of good) expect((await report(id)).state).toBe('mined')
    expect(await rows('SELECT user_id FROM failure')).toEqual([{ user_id: 'bad' }])
  })

  test('a user whose deliveries failed ten times this hour rests; others do not', async () => {
    await runInDurableObject(relayer(), (_: Relayer, { storage }) => {
      for (let i = 0; i < 10; i++) storage.sql.exec(`INSERT INTO failure VALUES ('costly', ?)`, Date.now())
    })
    const costly = await chain.aSend(await wallet('costly'), { userId: 'costly' })
    const other = await chain.aSend(await wallet('other'), { userId: 'other' })
    await relayer().submit([costly, other])
    await becomes(other.id, 'broadcast')
    expect(await report(costly.id)).toMatchObject({ state: 'parked', reason: 'too many failed deliveries this hour' })
    await settle()
  })
})

describe('what is submitted twice', () => {
  test('the same items again change nothing, at once or later', async () => {
    const item = await chain.aSend(await wallet('replay'), { to: recipient('replay') })
    const results = await Promise.all(Array.from({ length: 10 }, () => relayer().submit([item])))
    for (const result of results) expect(result).toEqual({ accepted: [item.id], refused: [] })
    await settle()
    await relayer().submit([item])
    await settle()
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('replay'))).toBe(2_500_000n)
  })

  test('another content under a known guard is refused for ever', async () => {
    const from = await wallet('guard')
    const item = await chain.aSend(from)
    await relayer().submit([item])
    await settle()
    const other = await chain.aSend(from, { id: `${item.id} other`, amount: 1n })
    expect(await relayer().submit([other])).toEqual({
      accepted: [],
      refused: [{ id: other.id, reason: 'guard: another content is known under this scope' }],
    })
    expect(await relayer().status([other.id])).toEqual([])
  })

  test('a fresh signature replaces a waiting one and waits for one under way', async () => {
    const from = await wallet('fresh')
    const [first, second, third] = await sequence(3, (i) =>
      chain.aSend(from, { id: `${shard} v${i}`, lifeSeconds: 300 + i, to: recipient('fresh') }),
    )
    await chain.fault({ mode: 'down' })
    await relayer().submit([first!])
    await relayer().submit([second!])
    expect(await report(first!.id)).toMatchObject({ state: 'dropped', reason: 'superseded' })
    await chain.fault({ mode: 'none' })
    await becomes(second!.id, 'broadcast')
    await relayer().submit([third!])
    expect((await relayer().wait(third!.id, 700))?.state).toBe('waiting')
    await settle()
    expect((await report(third!.id)).state).toBe('mined')
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('fresh'))).toBe(2_500_000n)
  })

  test('two signatures of the same in one call: the older is superseded', async () => {
    const from = await wallet('twice')
    const [first, second] = await sequence(2, (i) =>
      chain.aSend(from, { id: `${shard} w${i}`, lifeSeconds: 300 + i, to: recipient('twice') }),
    )
    await chain.fault({ mode: 'down' })
    await relayer().submit([first!, second!])
    expect(await report(first!.id)).toMatchObject({ state: 'dropped', reason: 'superseded' })
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await report(second!.id)).state).toBe('mined')
    expect(await chain.usdcBalance(recipient('twice'))).toBe(2_500_000n)
  })

  test('malformed items are refused, not batched', async () => {
    const item = await chain.aSend(await wallet('odd'))
    const odd = { ...item, id: `odd ${shard}`, packed: { ...item.packed!, amount: String(2n ** 64n) } }
    expect((await relayer().submit([odd])).refused).toEqual([{ id: odd.id, reason: 'malformed' }])
  })

  test('a frozen user is dropped and refused until unfrozen', async () => {
    const from = await wallet('frozen')
    const [waiting, later] = await sequence(2, (i) => chain.aSend(from, { sequence: i, userId: 'frozen' }))
    await chain.fault({ mode: 'down' })
    await relayer().submit([waiting!])
    await relayer().freeze('frozen')
    expect(await report(waiting!.id)).toMatchObject({ state: 'dropped', reason: 'frozen' })
    expect((await relayer().submit([later!])).refused).toEqual([{ id: later!.id, reason: 'frozen' }])
    await relayer().unfreeze('frozen')
    await chain.fault({ mode: 'none' })
    await relayer().submit([waiting!, later!])
    await settle()
    expect((await relayer().status([waiting!.id, later!.id])).map(({ state }) => state)).toEqual(['mined', 'mined'])
  })
})

describe('when things break', () => {
  test('a crash between storing and sending: the same bytes go out', async () => {
    const item = await chain.aSend(await wallet('crash'), { to: recipient('crash') })
    await chain.fault({ mode: 'down', methods: sendRaw })
    await relayer().submit([item])
    await hasAttempts(1)
    const [stored] = await attempts()
    await abortAllDurableObjects()
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'broadcast')
    expect(await attempts()).toEqual([stored])
    await settle()
    expect(await chain.usdcBalance(recipient('crash'))).toBe(2_500_000n)
  })

  test('a crash while the chain is first asked: the alarm takes over', async () => {
    const item = await chain.aSend(await wallet('early'))
    await chain.fault({ mode: 'slow', delayMs: 3_000 })
    await relayer().submit([item])
    await abortAllDurableObjects()
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'broadcast')
    await settle()
  })

  test('a reply lost after acceptance: unknown, then known, never twice', async () => {
    const item = await chain.aSend(await wallet('lost'), { to: recipient('lost') })
    await chain.fault({ mode: 'swallow', methods: sendRaw })
    await relayer().submit([item])
    await until(
      'the pool has it',
      async () => (await chain.node<Hex>('eth_getTransactionCount', account, 'pending')) !== '0x0',
    )
    expect((await report(item.id)).state).toBe('waiting')
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'broadcast')
    await settle()
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('lost'))).toBe(2_500_000n)
  })

  test('a reply lost and the transaction mined before anyone asks again', async () => {
    const item = await chain.aSend(await wallet('quick'))
    await chain.fault({ mode: 'swallow', methods: sendRaw })
    await relayer().submit([item])
    await until(
      'the pool has it',
      async () => (await chain.node<Hex>('eth_getTransactionCount', account, 'pending')) !== '0x0',
    )
    await chain.fault({ mode: 'down' })
    await chain.mine()
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'mined')
    await settle()
    expect(await attempts()).toHaveLength(1)
  })

  test('a number used by an unknown transaction: adopt the next one and send again', async () => {
    const item = await chain.aSend(await wallet('stolen'), { to: recipient('stolen') })
    await chain.fault({ mode: 'down', methods: sendRaw })
    await relayer().submit([item])
    await hasAttempts(1)
    await chain.act(account, account, '0x')
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'broadcast')
    await settle()
    expect((await attempts()).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await rows('SELECT state FROM account_tx ORDER BY nonce')).toEqual([{ state: 'lost' }, { state: 'mined' }])
    expect(await chain.usdcBalance(recipient('stolen'))).toBe(2_500_000n)
  })

  test('a transaction that does not get mined is replaced with more fees under the same number', async () => {
    const item = await chain.aSend(await wallet('stuck'), { to: recipient('stuck') })
    await relayer().submit([item])
    const sent = await becomes(item.id, 'broadcast')
    for (let block = 0; block < 5; block++) {
      await chain.node('anvil_setNextBlockBaseFeePerGas', toHex(50_000_000_000n))
      await chain.mine()
    }
    // The node would take the old bytes again; only the time without a receipt speaks for more fees.
    await chain.node('anvil_setNextBlockBaseFeePerGas', toHex(1n))
    await hasAttempts(2)
    const replaced = await until('another hash', async () => {
      const now = await report(item.id)
      return now.txHash !== sent.txHash && now
    })
    expect(replaced.state).toBe('broadcast')
    const [first, second] = (await attempts()).map(({ raw }) => parseTransaction(raw))
    expect(second?.nonce).toBe(first?.nonce)
    expect(second?.maxFeePerGas).toBeGreaterThan(first!.maxFeePerGas!)
    expect(second?.maxPriorityFeePerGas).toBeGreaterThan(first!.maxPriorityFeePerGas!)
    await settle()
    expect(await chain.usdcBalance(recipient('stuck'))).toBe(2_500_000n)
  })

  test('content that became useless before anyone took it leaves its number to an empty transfer', async () => {
    const item = await chain.aSend(await wallet('useless'), { to: recipient('useless') })
    await chain.fault({ mode: 'down', methods: sendRaw })
    await relayer().submit([item])
    await hasAttempts(1)
    await chain.node('evm_increaseTime', 600)
    await chain.mine()
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await attempts()).map(({ nonce, empty }) => [nonce, empty])).toEqual([
      [0, 0],
      [0, 1],
    ])
    expect(await report(item.id)).toMatchObject({ state: 'dropped', reason: 'too little time left' })
    expect(await chain.usdcBalance(recipient('useless'))).toBe(0n)
  })

  test('content that no node ever takes leaves its number to an empty transfer and travels alone', async () => {
    const item = await chain.aSend(await wallet('refused'), { to: recipient('refused') })
    await chain.fault({ mode: 'refuse', methods: sendRaw, message: 'exceeds block gas limit' })
    await relayer().submit([item])
    await hasAttempts(2)
    await chain.fault({ mode: 'none' })
    await settle()
    expect((await attempts()).map(({ nonce, empty }) => [nonce, empty])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ])
    expect(await chain.usdcBalance(recipient('refused'))).toBe(2_500_000n)
  })

  test('a number that a reorganisation took back is filled again with what it carried', async () => {
    const from = await wallet('hole')
    const [lower, upper] = await sequence(2, (i) => chain.aSend(from, { sequence: i, to: recipient('hole') }))
    await relayer().submit([lower!])
    await becomes(lower!.id, 'broadcast')
    const [{ hash }] = (await attempts()) as [AttemptRow]
    // As if mined, and then gone from chain and pool.
    await runInDurableObject(relayer(), (_: Relayer, { storage }) => {
      storage.sql.exec(`UPDATE account_tx SET state = 'mined', closed_at = ?`, Date.now())
      storage.sql.exec(`UPDATE item SET state = 'mined', finished_at = ?`, Date.now())
    })
    await chain.node('anvil_dropTransaction', hash)
    await relayer().submit([upper!])
    await becomes(upper!.id, 'broadcast')
    await chain.mine(5)
    await settle()
    expect((await attempts()).map(({ nonce }) => nonce)).toEqual([0, 1])
    expect(await chain.usdcBalance(recipient('hole'))).toBe(5_000_000n)
  })

  test('a node that denies every receipt delays the news and nothing else', async () => {
    const item = await chain.aSend(await wallet('denied'), { to: recipient('denied') })
    await relayer().submit([item])
    await becomes(item.id, 'broadcast')
    await chain.fault({ mode: 'lie' })
    await chain.mine()
    await relayer().kick()
    expect((await report(item.id)).state).toBe('broadcast')
    // Long enough to call the number lost: the item travels again, and the wallet refuses it.
    await laterBy(11_000)
    await relayer().kick()
    expect(await becomes(item.id, 'parked')).toMatchObject({ reason: expect.stringContaining('Nonce') })
    await chain.fault({ mode: 'none' })
    await relayer().kick()
    await becomes(item.id, 'mined')
    expect(await attempts()).toHaveLength(1)
    expect(await chain.usdcBalance(recipient('denied'))).toBe(2_500_000n)
  })

  test('without gas money nothing is lost, and delivery goes on once there is some', async () => {
    await chain.giveEther(account, 0n)
    const item = await chain.aSend(await wallet('broke'))
    await relayer().submit([item])
    await hasAttempts(1)
    expect((await report(item.id)).state).toBe('waiting')
    await chain.giveEther(account)
    await becomes(item.id, 'broadcast')
    await settle()
    expect(await attempts()).toHaveLength(1)
  })

  test('a node that is away: items wait and leave by themselves when it is back', async () => {
    await chain.fault({ mode: 'down' })
    const item = await chain.aSend(await wallet('away'))
    await relayer().submit([item])
    expect((await relayer().wait(item.id, 700))?.state).toBe('waiting')
    await chain.fault({ mode: 'none' })
    await becomes(item.id, 'broadcast')
    await settle()
  })

  test('a deaf Treasury is told again', async () => {
    const user = `deaf ${shard}`
    const treasury = env.TREASURY.getByName(user)
    const set = (isDeaf: boolean) =>
      runInDurableObject(treasury, (instance: unknown) => {
        ;(instance as Treasury).isDeaf = isDeaf
        return (instance as Treasury).heard.length
      })
    await set(true)
    const item = await chain.aSend(await wallet('deaf'), { userId: user })
    await relayer().submit([item])
    await settle()
    await set(false)
    await until('it hears', async () => (await set(false)) > 0)
    expect(
      await until('told', async () => (await rows('SELECT 1 FROM item WHERE tell_at IS NOT NULL')).length === 0),
    ).toBe(true)
  })

  test('through every fault in turn: each send happens once and no number is missing', async () => {
    const wallets = await sequence(4, (i) => wallet(`storm${i}`))
    const items: RelayItem[] = []
    const faults = ['none', 'swallow', 'down', 'none', 'lie', 'swallow', 'none'] as const
    for (const [round, mode] of faults.entries()) {
      await chain.fault(round % 2 ? { mode } : { mode, methods: sendRaw })
      const wave = await sequence(4, (i) =>
        chain.aSend(wallets[i]!, { sequence: round, userId: `u${i}`, amount: 1_000n, to: recipient('storm') }),
      )
      items.push(...wave)
      await relayer().submit(wave)
      await relayer().kick()
      if (round === 3) await abortAllDurableObjects()
      if (round % 3 === 2) await chain.mine()
    }
    await chain.fault({ mode: 'none' })
    await settle()
    for (const { id } of items) expect((await report(id)).state).toBe('mined')
    expect(await chain.usdcBalance(recipient('storm'))).toBe(BigInt(items.length) * 1_000n)
  })
})

/** One after the other: the chain's helpers share accounts. */
async function sequence<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let i = 0; i < count; i++) made.push(await make(i))
  return made
}

test('USDC refuses what the wallet would pay: the reason reaches the report', async () => {
  const blocked = recipient('blocked')
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'blacklist', args: [blocked] })
  await chain.act(party('usdc admin').address, chain.contracts.usdc, data)
  const item = await chain.aSend(await wallet('blocked'), { to: blocked })
  await relayer().submit([item])
  expect(await becomes(item.id, 'parked')).toMatchObject({ reason: 'Blacklistable: account is blacklisted' })
})
