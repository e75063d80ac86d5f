/**
 * The stall test: hostile accounts whose sends all fail in simulation, next to honest users who each pay once a block, on
 * the whole Worker and a real chain. Its short form is tests/worker/relayerStall.test.ts.
 *
 *   node tests/long/stall.ts              all three forms, one after another
 *   node tests/long/stall.ts scheduling   16 hostile accounts with 6 wallets and 64 sends each, 20 honest users, half of
 *                                         them new; rates, allowances and shares are out of reach
 *   node tests/long/stall.ts owner        three hostile agents in the wallet of an owner who pays once a block
 *   node tests/long/stall.ts defaults     as `scheduling`, with the default limits
 *
 * ATTACKERS, WALLETS, ITEMS, HONEST and BLOCKS change the figures. A block is mined when the Relayer has neither simulated
 * nor sent anything for half a second, or after 10 seconds, so the result does not depend on the machine's speed. Blocks
 * are two seconds of chain time.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeFunctionData, getAbiItem } from 'viem'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import { until } from '../../local/client.ts'
import { usdcAbi } from '../../worker/chain/abi.ts'
import type { Address, Hex } from '../../worker/chain/types.ts'
import { defaultLimits, type Limits } from '../../worker/domain/limits.ts'
import { payOnce } from '../support/agentCalls.ts'
import { noLimits } from '../support/limits.ts'
import { addressFor, chainReader, newUser, pause, type Rpc, rpcOf } from '../support/stackClient.ts'
import { createFundedWallet, createTestStack, type TestStack } from '../support/testStack.ts'
import { type RelayerGate, startRelayerGate } from './relayerGate.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const attackers = figure('ATTACKERS', 16)
const walletsEach = figure('WALLETS', 6)
const itemsEach = figure('ITEMS', 64)
const honestUsers = figure('HONEST', 20)
const blocks = figure('BLOCKS', 150)
const blockSeconds = 2
const idleMs = 500
const maxBlockMs = 10_000 // 10 seconds
const micro = '0.000001'

/** `apiKey`: the key of an agent, which pays from the wallet of its group. */
type FundedUser = { token: () => Promise<string>; wallet: { id: string; address: string }; apiKey?: string }
type Stage = { stack: TestStack; gate: RelayerGate; node: Rpc }

async function inStage(limits: Limits, work: (stage: Stage) => Promise<boolean>): Promise<boolean> {
  let gate: RelayerGate | undefined
  const vars = async ({ rpc }: { rpc: TestStack['rpc'] }) => {
    gate = await startRelayerGate(rpc[8453])
    return { RPC_URLS_8453: gate.url, LIMITS: JSON.stringify(limits) }
  }
  const stack = await createTestStack({ vars, lean: true })
  try {
    return await work({ stack, gate: gate!, node: rpcOf(stack.rpc[8453]) })
  } finally {
    await stack.stop()
    await gate?.stop()
  }
}

/** Creates a funded wallet of this user, or of a new one. */
async function createFundedUser(stack: TestStack, user?: Pick<FundedUser, 'token'>): Promise<FundedUser> {
  const { token } = user ?? (await newUser(stack))
  for (let tries = 1; ; tries++)
    try {
      return { token, wallet: await createFundedWallet(stack.bursar, await token()) }
    } catch (error) {
      // The stack was too busy to read the chain in five seconds, so nothing was deployed.
      if (tries === 10 || !/deploy returned \d+ upstream_unavailable/.test(String(error))) throw error
    }
}

/** Makes accounts established, which depends on the age of their first wallet, by moving it back two days in their files. */
async function age({ stack }: Stage, payers: readonly FundedUser[]): Promise<void> {
  await stack.stopWorker()
  const folder = join(stack.stateDir, 'worker/v3/do/bursar-Treasury')
  const wallets = new Set(payers.map(({ wallet }) => wallet.id))
  let aged = 0
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.sqlite'))) {
    const file = new DatabaseSync(join(folder, name))
    const known = file.prepare("SELECT 1 FROM sqlite_master WHERE name = 'wallet'").get()
    const ids = known ? (file.prepare('SELECT id FROM wallet').all() as { id: string }[]) : []
    if (ids.some(({ id }) => wallets.has(id))) {
      file.exec(`UPDATE wallet SET created_at = created_at - ${2 * dayMs}`)
      aged += 1
    }
    file.close()
  }
  if (aged !== payers.length) throw new Error(`aged ${aged} of ${payers.length} accounts`)
  await stack.restartWorker()
}

/** Runs `work` four at a time, so that a busy machine is not overloaded. */
async function forEach<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const queue = list.values()
  const worker = async () => {
    for (const one of queue) await work(one)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}

/** Pays once the books show the deposit and the node responds. Returns false if a limit refuses, as the test allows. */
async function pay(stack: TestStack, from: FundedUser, to: Address, amount: string): Promise<boolean> {
  const key = randomUUID()
  const { status, body } = await until('a definite reply to a payment', async () => {
    const answer = await tryToPay(stack, key, from, to, amount).catch(() => null)
    return answer && answer.status < 500 && answer.body.code !== 'insufficient_balance' && answer
  })
  if (status >= 300 && status !== 429) throw new Error(`a payment was refused: ${status} ${JSON.stringify(body)}`)
  return status < 300
}

/** Pays as the owner, or with an agent's key. */
async function tryToPay({ bursar }: TestStack, key: string, from: FundedUser, to: Address, amount: string) {
  type Body = { code?: string }
  if (from.apiKey) return payOnce<Body>(bursar, from.apiKey, { to, amount, idempotencyKey: key })
  const body = { walletId: from.wallet.id, toAddress: to, amount }
  return bursar.call<Body>('/api/transactions/send', { token: await from.token(), key, body })
}

async function blacklist({ stack, node }: Stage, recipients: readonly Address[]): Promise<void> {
  const { usdc } = stack.contracts[8453]
  const { client } = chainReader(stack.rpc[8453], usdc)
  const from = await client.readContract({ address: usdc, abi: usdcAbi, functionName: 'blacklister' })
  await node('anvil_impersonateAccount', from)
  await node('anvil_setBalance', from, '0xde0b6b3a7640000')
  for (const recipient of recipients) {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'blacklist', args: [recipient] })
    await node('eth_sendTransaction', { from, to: usdc, data, gas: '0x30d40' })
  }
  await until('the blacklist', () =>
    client.readContract({ address: usdc, abi: usdcAbi, functionName: 'isBlacklisted', args: [recipients.at(-1)!] }),
  )
}

/** Makes the payments of `attack` while the Relayer cannot simulate, and blacklists their recipients before it can. */
async function launchAttack(stage: Stage, attack: { from: FundedUser; to: Address }[]): Promise<void> {
  stage.gate.setOpen(false)
  let accepted = 0
  await forEach(attack, async ({ from, to }) => {
    for (let item = 0; item < itemsEach; item++) if (await pay(stage.stack, from, to, micro)) accepted += 1
  })
  await blacklist(stage, [...new Set(attack.map(({ to }) => to))])
  stage.gate.setOpen(true)
  await stage.stack.bursar.call('/cdn-cgi/local/scheduled').catch(() => {}) // the watchdog ends back-offs
  console.log(`  hostile payments accepted ${accepted} of ${attack.length * itemsEach}`)
}

/** Stops automatic mining. Returns a function that mines a block two seconds of chain time after the last one. */
async function stopMining({ node }: Stage): Promise<() => Promise<void>> {
  await node('evm_setIntervalMining', 0)
  await node('evm_setAutomine', false)
  return async () => {
    const { timestamp } = (await node('eth_getBlockByNumber', 'latest', false)) as { timestamp: Hex }
    await node('evm_setNextBlockTimestamp', Number(timestamp) + blockSeconds)
    await node('evm_mine')
  }
}

/** Lets `payers` each pay once per block, and counts the blocks that each payment takes. */
async function measure(
  stage: Stage,
  payers: readonly FundedUser[],
  limit: { median: number; p99: number; max: number },
) {
  const { stack, gate } = stage
  const { client } = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
  const mine = await stopMining(stage)
  const height = async () => Number(await client.getBlockNumber({ cacheTime: 0 }))
  const merchant = addressFor('merchant')
  const submitted = new Map<string, number>()
  let refused = 0
  for (let block = 0; block < blocks + 8; block++) {
    const startedAt = Date.now()
    if (block < blocks) {
      const at = await height()
      await Promise.all(
        payers.map(async (payer) => {
          const amount = block + 2
          if (await pay(stack, payer, merchant, (amount / 1e6).toFixed(6)))
            submitted.set(`${payer.wallet.address.toLowerCase()}:${amount}`, at)
          else refused += 1
        }),
      )
    }
    const paidAt = Date.now()
    while (Date.now() - Math.max(gate.idleSince(), paidAt) < idleMs && Date.now() - startedAt < maxBlockMs)
      await pause(50)
    await mine()
  }
  const event = getAbiItem({ abi: usdcAbi, name: 'Transfer' })
  const logs = await client.getLogs({ address: stack.contracts[8453].usdc, event, fromBlock: 0n, strict: true })
  const minedIn = new Map(
    logs.map(({ args, blockNumber }) => [`${args.from.toLowerCase()}:${args.value}`, Number(blockNumber)]),
  )
  const latencies = [...submitted]
    .map(([key, at]) => (minedIn.get(key) ?? Number.POSITIVE_INFINITY) - at)
    .sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.POSITIVE_INFINITY
  const result = { median: at(0.5), p99: at(0.99), max: at(1) }
  const dropped = latencies.filter((latency) => latency === Number.POSITIVE_INFINITY).length
  console.log(
    `  payments ${latencies.length}, refused by a limit ${refused}, not mined ${dropped}; blocks until mined: ` +
      `median ${result.median}, 99th percentile ${result.p99}, maximum ${result.max}`,
  )
  return (
    dropped === 0 &&
    result.median <= limit.median &&
    result.p99 <= limit.p99 &&
    result.max <= limit.max &&
    refused === 0
  )
}

async function amongStrangers(limits: Limits): Promise<boolean> {
  return inStage(limits, async (stage) => {
    const { stack } = stage
    const honest: FundedUser[] = []
    await forEach(Array(honestUsers).fill(0), async () => void honest.push(await createFundedUser(stack)))
    const attack: { from: FundedUser; to: Address }[] = []
    await forEach([...Array(attackers).keys()], async (i) => {
      const user = await newUser(stack)
      for (let j = 0; j < walletsEach; j++)
        attack.push({ from: await createFundedUser(stack, user), to: addressFor(`blacklisted ${i}`) })
    })
    await age(stage, honest.slice(0, honestUsers / 2))
    console.log(`  ${honest.length} honest users, ${attack.length} hostile wallets`)
    await launchAttack(stage, attack)
    return measure(stage, honest, { median: 2, p99: 5, max: Number.POSITIVE_INFINITY })
  })
}

async function againstOwner(limits: Limits): Promise<boolean> {
  return inStage(limits, async (stage) => {
    const { bursar } = stage.stack
    const owner = await createFundedUser(stage.stack)
    const token = await owner.token()
    const scopes = ['address_payments:write']
    const group = await bursar.api<PolicyGroup>('/policy-groups', {
      token,
      key: randomUUID(),
      body: { name: 'Group', spendLimit: 100, scopes, walletId: owner.wallet.id },
    })
    const attack: { from: FundedUser; to: Address }[] = []
    for (let i = 0; i < 3; i++) {
      const body = { name: `Agent ${i}`, policyGroupId: group.id }
      const { apiKey } = await bursar.api<CreatedAgent>('/agents', { token, key: randomUUID(), body })
      attack.push({ from: { ...owner, apiKey: apiKey! }, to: addressFor(`blacklisted ${i}`) })
    }
    await launchAttack(stage, attack)
    // Blocks come faster than real ones, so the seconds that the Relayer waits after the node's silence would be many blocks.
    const { usdc } = stage.stack.contracts[8453]
    const { client } = chainReader(stage.stack.rpc[8453], usdc)
    const first = addressFor('first')
    await pay(stage.stack, owner, first, micro)
    await until('the Relayer to send again', async () =>
      client.readContract({ address: usdc, abi: usdcAbi, functionName: 'balanceOf', args: [first] }),
    )
    return measure(stage, [owner], { median: 3, p99: 3, max: 3 })
  })
}

const { ownerSlots, agentInFlight, agentQueued } = defaultLimits
const young = { establishedAfterHours: 24 }
const forms: Record<string, () => Promise<boolean>> = {
  scheduling: () => amongStrangers({ ...noLimits, ...young }),
  owner: () => againstOwner({ ...noLimits, ownerSlots, agentInFlight, agentQueued }),
  defaults: () => amongStrangers(defaultLimits),
}
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(forms)
for (const name of names) {
  const form = forms[name]
  if (!form) throw new Error(`unknown form ${name}: ${Object.keys(forms).join(', ')}`)
  const startedAt = Date.now()
  console.log(name)
  const passed = await form()
  console.log(`  ${passed ? 'passed' : 'FAILED'} in ${((Date.now() - startedAt) / minuteMs).toFixed(1)} min`)
  if (!passed) process.exitCode = 1
}
process.exit()
