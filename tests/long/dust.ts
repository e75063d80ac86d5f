/**
 * The dust test: a stranger sends a wallet 300,000 transfers of nothing and of one micro-USDC, on the whole Worker and a real
 * chain. Its short form is tests/worker/dust.test.ts. Test id: @scans-7
 *
 *   node tests/long/dust.ts          both forms, one after the other
 *   node tests/long/dust.ts idle     to a wallet that was last read a day before
 *   node tests/long/dust.ts busy     to a wallet that pays once in every block
 *
 * TRANSFERS and PER_BLOCK change the figures. The memory is the resident set of workerd, which has all objects in it.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toHex } from 'viem'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import type { Address } from '../../worker/chain/types.ts'
import { createDustSender } from '../support/dust.ts'
import { addressFor, pause, rpcOf } from '../support/stackClient.ts'
import { createFundedWallet, createTestStack, signIn, type TestStack } from '../support/testStack.ts'

const figure = (name: string, value: number) => Number(process.env[name] ?? value)
const transfers = figure('TRANSFERS', 300_000)
const perBlock = figure('PER_BLOCK', 5_000)
const dustBlocks = Math.ceil(transfers / perBlock)
const blockMs = 1_000
const limits = { megabytes: 60, blocks: 5 }

type Scene = Awaited<ReturnType<typeof createScene>>

async function createScene(stack: TestStack) {
  const { bursar } = stack
  const node = rpcOf(stack.rpc[8453])
  const token = await signIn(bursar)
  const wallet = await createFundedWallet(bursar, token)
  /** Receives no dust, and pays before the memory is measured. */
  const other = await createFundedWallet(bursar, token)
  const fund = async (address: Address) => {
    await bursar.plain('/dev/faucet', { body: { address, amount: '1000' } })
  }
  const sendDust = await createDustSender(node, stack.contracts[8453].usdc, { perBlock, fund })
  await pause(3_000) // until the faucet's transfer is mined
  await node('evm_setIntervalMining', 0)
  await node('evm_setAutomine', false)
  /** Mines a block of dust: of nothing in every other block. */
  const mineDust = async (block: number) => {
    await sendDust(wallet.address as Address, BigInt(block % 2))
    await node('evm_mine')
  }
  const pay = async (from = wallet) => {
    const body = { walletId: from.id, toAddress: addressFor('merchant'), amount: '0.01' }
    return (await bursar.api<Transaction>('/transactions/send', { token, key: randomUUID(), body })).id
  }
  const isConfirmed = async (id: string) =>
    (await bursar.api<Transaction>(`/transactions/${id}`, { token })).status === 'CONFIRMED'
  /** Brings the process to the memory of one that is in use: its code is loaded, and its heap has grown. */
  const warmUp = async () => {
    for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 10 }, () => bursar.api('/wallets', { token })))
    const payments: string[] = []
    for (let block = 0; block < 10; block++) {
      payments.push(await pay(other))
      await node('evm_mine')
      await pause(blockMs)
    }
    while (!(await isConfirmed(payments.at(-1)!))) await node('evm_mine').then(() => pause(blockMs))
  }
  const ledger = () => bursar.api<WalletLedger>(`/wallets/${wallet.id}/ledger`, { token })
  const height = async () => Number(await node('eth_blockNumber'))
  return { stack, node, wallet, mineDust, pay, warmUp, isConfirmed, ledger, height }
}

/** Reads the Treasury's file, without asking the Treasury. */
function inTreasury<T>({ stack, wallet }: Pick<Scene, 'stack' | 'wallet'>, read: (file: DatabaseSync) => T): T {
  const folder = join(stack.stateDir, 'worker/v3/do/bursar-Treasury')
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.sqlite'))) {
    const file = new DatabaseSync(join(folder, name), { readOnly: true })
    try {
      const known = file.prepare("SELECT 1 FROM sqlite_master WHERE name = 'wallet'").get()
      if (known && file.prepare('SELECT 1 FROM wallet WHERE id = ?').get(wallet.id)) return read(file)
    } finally {
      file.close()
    }
  }
  throw new Error('no Treasury has the wallet')
}
const scannedBlock = (scene: Scene) =>
  inTreasury(
    scene,
    (file) =>
      (file.prepare('SELECT scanned_block AS n FROM wallet WHERE id = ?').get(scene.wallet.id) as { n: number }).n,
  )
const depositRows = (scene: Scene) =>
  inTreasury(
    scene,
    (file) => file.prepare("SELECT count(*) AS n FROM audit WHERE event = 'wallet.deposited'").get() as { n: number },
  ).n

const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Samples the memory of workerd until the returned function is called, which returns by how much it rose. */
function watchMemory(stack: TestStack): () => number {
  const pid = stack.workerdPid()
  const before = megabytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, megabytes(pid))
  }, 50)
  return () => {
    clearInterval(timer)
    return most - before
  }
}

/** Mines a block each second until all payments are confirmed. Returns how many that took once the books were level. */
async function blocksUntilConfirmed(scene: Scene, payments: string[]): Promise<{ blocks: number; seconds: number }> {
  const startedAt = Date.now()
  let levelAt: number | null = null
  for (;;) {
    const open = []
    for (const id of payments) if (!(await scene.isConfirmed(id))) open.push(id)
    const height = await scene.height()
    // The Treasury may be one block behind while it reads.
    if (levelAt === null && height - scannedBlock(scene) <= 1) levelAt = height
    if (open.length === 0) {
      const seconds = (Date.now() - startedAt) / 1000
      return { blocks: levelAt === null ? 0 : height - levelAt, seconds }
    }
    if (Date.now() - startedAt > 10 * minuteMs) throw new Error(`${open.length} payments are not confirmed`)
    await scene.node('evm_mine')
    await pause(blockMs)
  }
}

async function check(scene: Scene, rowsBefore: number, payments: string[], memory: () => number): Promise<boolean> {
  const { blocks, seconds } = await blocksUntilConfirmed(scene, payments)
  const rose = memory()
  await scene.node('evm_mine')
  const { available, held, chainBalance } = await scene.ledger()
  const rows = depositRows(scene) - rowsBefore
  console.log(
    `  ${dustBlocks * perBlock} transfers in ${dustBlocks} blocks: memory rose by ${rose.toFixed(0)} MB; ${payments.length} payments ` +
      `confirmed after ${seconds.toFixed(0)} s, ${blocks} blocks after the books had caught up; ${rows} rows; books ${available}, chain ${chainBalance}`,
  )
  return (
    rose <= limits.megabytes &&
    blocks <= limits.blocks &&
    rows <= dustBlocks &&
    Number(available) + Number(held) === Number(chainBalance)
  )
}

const forms: Record<string, (scene: Scene) => Promise<boolean>> = {
  async idle(scene) {
    const { stack, node } = scene
    await scene.ledger()
    const rowsBefore = depositRows(scene)
    await stack.stopWorker()
    await node('anvil_mine', toHex(1_440), toHex(dayMs / 1_440 / 1_000))
    for (let block = 0; block < dustBlocks; block++) await scene.mineDust(block)
    await stack.restartWorker()
    await scene.warmUp()
    const memory = watchMemory(stack)
    const payments = [await scene.pay(), await scene.pay()]
    return check(scene, rowsBefore, payments, memory)
  },
  async busy(scene) {
    await scene.warmUp()
    const rowsBefore = depositRows(scene)
    const memory = watchMemory(scene.stack)
    const payments: string[] = []
    for (let block = 0; block < dustBlocks; block++) {
      const startedAt = Date.now()
      payments.push(await scene.pay())
      await scene.mineDust(block)
      await pause(Math.max(0, blockMs - (Date.now() - startedAt)))
    }
    return check(scene, rowsBefore, payments, memory)
  },
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(forms)
for (const name of names) {
  const form = forms[name]
  if (!form) throw new Error(`unknown form ${name}: ${Object.keys(forms).join(', ')}`)
  console.log(name)
  const stack = await createTestStack({ lean: true })
  try {
    const passed = await form(await createScene(stack))
    console.log(`  ${passed ? 'passed' : 'FAILED'}`)
    if (!passed) process.exitCode = 1
  } finally {
    await stack.stop()
  }
}
process.exit()
