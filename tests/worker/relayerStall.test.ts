/** The short form of the stall test: only scheduling, on an in-memory node. tests/long/stall.ts is the full test. */
import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Address } from '../../worker/chain/types.ts'
import type { RelayJob } from '../../worker/relayer/api.ts'
import type { Relayer } from '../../worker/relayer/relayer.ts'
import { patient } from '../support/patience.ts'
import { blacklisted, merchant, modelSend, nextDueAt, startModelNode } from './modelRelayer.ts'
import { party, relayer, rows, setUpRelayers } from './relayerHarness.ts'

setUpRelayers()

const blocks = 20
type Arrivals = { jobs: RelayJob[]; watched: RelayJob[] }

/** Runs `blocks` blocks and counts how many each watched send took. `arrivals` returns what is submitted in a block. */
async function run(arrivals: (block: number, now: number) => Arrivals) {
  const node = await startModelNode()
  const first = node.block()
  const watched = new Map<string, { key: string; submittedIn: number }>()
  await runInDurableObject(relayer(), async (instance: Relayer, { storage }) => {
    const submit = (block: number) => {
      if (block >= first + blocks) return
      const arrived = arrivals(block - first, node.now())
      for (const { id, packed } of arrived.watched)
        watched.set(id, { key: `${packed!.wallet.toLowerCase()}:${packed!.nonce}`, submittedIn: block })
      void instance.submit([...arrived.jobs, ...arrived.watched])
    }
    node.onBlock = submit
    submit(first)
    // Four more blocks for the jobs that arrived last.
    while (node.block() < first + blocks + 4) {
      await instance.wakeUp()
      const at = nextDueAt(storage) ?? node.nextBlockAt()
      if (at > node.now()) node.passTo(Math.min(at, node.nextBlockAt()))
    }
  })
  const latencies = [...watched.values()]
    .map(({ key, submittedIn }) => (node.minedIn.get(key) ?? Number.POSITIVE_INFINITY) - submittedIn)
    .sort((a, b) => a - b)
  const dropped = await rows<{ id: string }>(`SELECT id FROM job WHERE state IN ('dropped','failed')`)
  const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1]!
  return {
    sends: latencies.length,
    median: at(0.5),
    p99: at(0.99),
    max: at(1),
    dropped: dropped.filter(({ id }) => watched.has(id)).length,
  }
}

const walletOf = (name: string): Address => party(`stall ${name}`).address

test(
  'new accounts whose sends all fail in simulation do not delay honest users, new or not @relayer-1',
  async () => {
    const attackers = Array.from({ length: 16 }, (_, user) =>
      Array.from({ length: 2 }, (_, wallet) => ({ userId: `attacker ${user}`, wallet: walletOf(`${user} ${wallet}`) })),
    ).flat()
    const honest = Array.from({ length: 20 }, (_, i) => ({ userId: `honest ${i}`, wallet: walletOf(`honest ${i}`) }))
    const result = await run((block, now) => {
      // Signed again every ten blocks: new rows of the same intents.
      const attack =
        block % 10 === 0
          ? attackers.flatMap(({ userId, wallet }) =>
              Array.from({ length: 64 }, (_, i) =>
                modelSend(userId, wallet, i, blacklisted, now, { isNewAccount: true }),
              ),
            )
          : []
      const watched = honest.map(({ userId, wallet }, i) =>
        modelSend(userId, wallet, block, merchant, now, { isNewAccount: i % 2 === 0 }),
      )
      return { jobs: attack, watched }
    })
    expect(result).toMatchObject({ sends: 20 * blocks, dropped: 0 })
    expect(result.median).toBeLessThanOrEqual(2)
    expect(result.p99).toBeLessThanOrEqual(5)
  },
  patient(180_000),
)

test("agents whose sends all fail do not delay their owner's sends @relayer-2", async () => {
  const wallet = walletOf('shared')
  const result = await run((block, now) => ({
    // Three agents with 24 sends each, signed again with every block.
    jobs: Array.from({ length: 72 }, (_, i) =>
      modelSend('owner', wallet, 1_000 + i, blacklisted, now, { principal: `agent ${i % 3}` }),
    ),
    watched: [modelSend('owner', wallet, block, merchant, now)],
  }))
  expect(result).toMatchObject({ sends: blocks, dropped: 0 })
  expect(result.max).toBeLessThanOrEqual(3)
})

test('with eight transactions in flight, new jobs wait for the next poll, 250 ms later, and are sent after a receipt @relayer-17', async () => {
  const node = await startModelNode()
  const wallet = walletOf('full')
  const sends = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => modelSend('busy', wallet, from + i, merchant, node.now()))
  await runInDurableObject(relayer(), async (instance: Relayer, { storage }) => {
    await instance.submit(sends(0, 8 * 50))
    await instance.wakeUp()
    expect((await instance.health()).inFlight).toBe(8)
    expect(node.block(), 'all in one block').toBe(1)

    const { roundTrips } = node
    const sent = await instance.submit(sends(400, 3))
    expect(sent.accepted).toHaveLength(3)
    expect(node.roundTrips).toBe(roundTrips)
    expect(nextDueAt(storage)! - node.now()).toBeLessThanOrEqual(250)
    expect(await instance.health()).toMatchObject({ ready: 3, stalledMs: 0 })

    const minedAt = node.nextBlockAt()
    while (node.block() === 1) {
      node.passTo(nextDueAt(storage)!)
      await instance.wakeUp()
    }
    // The step that sends them makes a few requests of 40 ms.
    expect(node.now() - minedAt).toBeLessThan(250 + 5 * 40)
    expect(await instance.health()).toMatchObject({ ready: 0, inFlight: 1 })
  })
})
