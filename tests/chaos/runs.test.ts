/**
 * Kills the Worker and reorganizes the chain while a payout run is paid to addresses and mailboxes: no row is lost, paid twice or
 * paid another amount, and its sums add up each time (I24). RUN_KILLS sets the number of kills (5), RUN_REORGS that of
 * reorganizations (2), RUN_ROWS the rows (60).
 *
 * @module-tag all
 */
import { afterAll, expect, test } from 'vitest'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { noLimits } from '../support/limits.ts'
import { patient, within } from '../support/patience.ts'
import { randomFrom } from '../support/random.ts'
import { addressFor, allTransactions, chainReader, createSender, pause } from '../support/stackClient.ts'
import { runsOf, wrongSums } from '../support/stackRuns.ts'
import { booksAtRest } from './checker.ts'
import { createFaultyStack } from './faultyStack.ts'

const kills = Number(process.env.RUN_KILLS ?? 5)
const reorganizations = Number(process.env.RUN_REORGS ?? 2)
const rows = Number(process.env.RUN_ROWS ?? 60)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
/** Payments confirm at two. */
const deepest = 8
const finalityBlocks = 20

const { stack, stop } = await createFaultyStack({ finalityBlocks, limits: noLimits })
afterAll(stop)

test(`${rows} rows are paid once each, whatever is killed or reorganized @runs-50`, {
  ...within(120_000 + (kills + reorganizations) * 12_000 + rows * 500),
}, async () => {
  console.log(`CHAOS_SEED=${seed} RUN_KILLS=${kills} RUN_REORGS=${reorganizations} RUN_ROWS=${rows}`)
  const random = randomFrom(seed)
  const sender = await createSender(stack, { funds: '5000', limit: 10 })
  const { bursar } = stack
  const runs = runsOf(bursar, sender)
  const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
  // All of it is within the 1,000 USDC that the session key may spend.
  const file = Array.from({ length: rows }, (_, i) => {
    const isPayout = i % 10 === 3
    return {
      to: isPayout ? `row${i}@bursar.test` : addressFor(`row ${i} ${seed}`),
      amount: `${isPayout ? 1 : 0}.${String(i + 1).padStart(5, '0')}`,
    }
  })
  const made = await runs.make('Kills', file)
  await runs.checked(made.id)
  // No reorganization reaches back to the deploy and the deposit, which nobody repeats.
  const madeAt = Number(await chain.client.getBlockNumber())
  const run = await runs.approve(await runs.submit(made.id))

  const problems: string[] = []
  for (let [kill, reorganization] = [0, 0]; kill + reorganization < kills + reorganizations; ) {
    await pause(random.int(50, 1_500))
    if (kill * reorganizations <= reorganization * kills && kill < kills) {
      kill += 1
      await stack.killWorker()
      await stack.restartWorker()
    } else {
      reorganization += 1
      const depth = Math.min(random.int(2, deepest), Number(await chain.client.getBlockNumber()) - madeAt - 1)
      if (depth > 0) await chain.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
    }
    problems.push(...wrongSums(await runs.get(run.id)))
  }
  const deadline = Date.now() + patient(60_000 + rows * 400)
  let last = await runs.get(run.id)
  for (; last.endedAt === null && Date.now() < deadline; await pause(500)) last = await runs.get(run.id)
  expect(last).toMatchObject({ status: 'DONE', failed: { rows: 0 }, notPaid: { rows: 0 }, handedOver: { rows } })

  const books = await booksAtRest(bursar, sender, patient(180_000), { finalityBlocks })
  const transfers = (await chain.transfers()).filter(({ from }) => from === sender.wallet.address)
  const listed = (await allTransactions(bursar, await sender.token())).filter(({ runId }) => runId === run.id)
  expect(listed.length, 'one payment of each row').toBe(rows)
  for (const { to, amount } of file.filter(({ to }) => to.startsWith('0x'))) {
    const received = transfers.filter((transfer) => transfer.to === to)
    if (received.length !== 1 || received[0]!.value !== usdc(amount))
      problems.push(`${to} got ${received.length} transfers`)
  }
  expect(transfers.length, 'nothing else left the wallet').toBe(rows)
  expect(problems).toEqual([])
  expect(await chain.balanceOf(sender.wallet.address as Address), 'books = chain').toBe(usdc(books.ledger.available))
})
