/**
 * The Worker is killed again and again under load, on real chains and storage, with a node that fails now and then.
 * CHAOS_KILLS says how often (12), CHAOS_SEED repeats the clients' choices, the faults and the moments of the kills.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../local/tools/runTool.ts'
import type { Address } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { chainReader, createSender, pause } from '../support/stackClient.ts'
import { booksAtRest, violations } from './checker.ts'
import { Client, type SenderRecord } from './client.ts'
import { createFaultyStack, type FaultyStack, logProblems } from './faultyStack.ts'
import { History } from './history.ts'

const kills = Number(process.env.CHAOS_KILLS ?? 12)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
const senders = 3
const clientsEach = 4
/** Reached by the agents towards the end. */
const limit = 2 + Math.ceil(kills / 5)
const restMs = 90_000 // 1.5 minutes

let stack: FaultyStack['stack']
let node: FaultyStack['node']
let stop: FaultyStack['stop'] | undefined
beforeAll(async () => {
  ;({ stack, node, stop } = await createFaultyStack())
})
afterAll(() => stop?.())

test(`${kills} kills: nothing lost, nothing twice, every figure exact @chaos-1`, {
  timeout: 120_000 + kills * 15_000,
}, async () => {
  console.log(`CHAOS_SEED=${seed} CHAOS_KILLS=${kills}`)
  const startedAt = Date.now()
  const { bursar } = stack
  const history = new History()
  const records: SenderRecord[] = []
  for (let index = 0; index < senders; index++) {
    const sender = await createSender(stack, { funds: '900', limit, agents: 2 })
    records.push({ index, sender, payouts: [], problems: [], replays: [] })
  }

  let isOver = false
  const clients = records.flatMap((record) =>
    Array.from({ length: clientsEach }, (_, i) => {
      const name = `s${record.index}c${i}`
      const random = randomFrom(seed + 1 + record.index * clientsEach + i)
      return new Client({ name, bursar, record, random, history }).run(() => isOver)
    }),
  )
  const random = randomFrom(seed)
  const killing = (async () => {
    for (let kill = 1; kill <= kills; kill++) {
      await pause(random.int(100, 2_000))
      history.note('kill', null, kill)
      await stack.killWorker()
      await stack.restartWorker()
    }
    await pause(1_000) // the last kill is recovered from under load as well
    isOver = true
  })()
  const weather = stormy(randomFrom(seed + 1_000), () => isOver)
  await Promise.all([killing, weather, ...clients]).finally(() => {
    isOver = true
  })
  const calmAt = Date.now()

  const problems = records.flatMap((record) => record.problems)
  try {
    for (const { sender } of records) await booksAtRest(bursar, sender, restMs)
    const restAt = Date.now()
    problems.push(...(await askAgain(records)), ...(await relayerProblems()), ...logProblems(stack))
    const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
    for (const { sender, index } of records) {
      const operations = history.operations.filter((operation) => operation.sender === index)
      const books = await booksAtRest(bursar, sender, restMs)
      const address = sender.wallet.address as Address
      const [transfers, balance, nonces] = await Promise.all([
        chain.transfers(),
        chain.balanceOf(address),
        chain.nonces(address),
      ])
      const found = violations(sender, operations, books, { transfers, balance, nonces })
      problems.push(...found.map((problem) => `${sender.wallet.id}: ${problem}`))
    }
    console.log(summary(history, { load: calmAt - startedAt, rest: restAt - calmAt, check: Date.now() - restAt }))
    expect(problems).toEqual([])
  } catch (error) {
    keepEvidence(history)
    throw error
  }
})

/** The Worker's node between good hours: gone, slow, or executing requests without replying. */
async function stormy(random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    node.setFault({ mode: 'none' })
    await pause(random.int(200, 2_000))
    const mode = random.pick(['down', 'swallow', 'slow'] as const)
    node.setFault({ mode, delayMs: random.int(200, 2_000) })
    await pause(random.int(100, 600))
  }
  node.setFault({ mode: 'none' })
}

/** I7: an acknowledged request finds its payment again, whatever happened since. */
async function askAgain(records: SenderRecord[]): Promise<string[]> {
  const problems: string[] = []
  for (const { replays } of records)
    for (const { operation, ask } of replays.slice(-20)) {
      const { outcome, key } = operation
      const id = await ask()
      if (outcome?.ok && id !== outcome.id) problems.push(`I7: ${key} was ${outcome.id}, asked again it is ${id}`)
    }
  return problems
}

/** I6: no gap is left in the account's numbers. */
async function relayerProblems(): Promise<string[]> {
  const { address } = relayerAccount(stack.secrets.RELAYER_SEED_V1, 8453, 0)
  const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
  const { latest, pending } = await chain.accountNonces(address)
  const pool = await chain.client.request({ method: 'txpool_status' } as never)
  const { queued } = pool as { queued: string }
  const problems = latest === pending ? [] : [`I6: ${pending - latest} transactions are still pending`]
  return Number(queued) === 0 ? problems : [...problems, `I6: ${Number(queued)} transactions behind a gap`]
}

function summary({ operations }: History, ms: Record<'load' | 'rest' | 'check', number>): string {
  const count = (kind: string, ok: boolean) =>
    operations.filter(({ asked, outcome }) => asked.kind === kind && outcome?.ok === ok).length
  const kinds = ['send', 'payout', 'claim', 'reclaim'].map(
    (kind) => `${kind} ${count(kind, true)}+${count(kind, false)}`,
  )
  const unknown = operations.filter((operation) => operation.unknown > 0).length
  const seconds = (name: keyof typeof ms) => `${name} ${(ms[name] / 1000).toFixed(1)} s`
  return `ok+refused: ${kinds.join(', ')}; ${unknown} had unknown outcomes; ${seconds('load')}, ${seconds('rest')}, ${seconds('check')}`
}

/** The history and the Worker's log, to find the cause. */
function keepEvidence(history: History): void {
  const folder = join(root, '.bursar', `chaos-${seed}`)
  mkdirSync(folder, { recursive: true })
  history.write(join(folder, 'history.jsonl'))
  copyFileSync(join(stack.stateDir, 'wrangler.log'), join(folder, 'wrangler.log'))
  console.log(`evidence in ${folder}`)
}
