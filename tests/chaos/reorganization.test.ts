/**
 * Random reorganizations under load, up to twelve blocks deep although payments confirm at one, with a node that fails now
 * and then and a Worker that is killed: `npm run test:long reorganizations`. CHAOS_REORGS sets their number, CHAOS_SEED
 * repeats the choices. Transactions of the removed blocks are gone unless the Relayer delivers them again.
 *
 * @module-tag all
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../local/client.ts'
import type { Address } from '../../worker/chain/types.ts'
import { patient, within } from '../support/patience.ts'
import { randomFrom } from '../support/random.ts'
import { chainReader, createSender, pause } from '../support/stackClient.ts'
import { booksAtRest, violations } from './checker.ts'
import { Client, type SenderRecord } from './client.ts'
import { createFaultyStack, logProblems } from './faultyStack.ts'
import { History } from './history.ts'
import { wideRules } from './wideRules.ts'

const reorganizations = Number(process.env.CHAOS_REORGS ?? 0)
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 32))
const finalityBlocks = 30
const deepest = 12
const restMs = patient(240_000) // 4 minutes

test.skipIf(reorganizations === 0)(
  `${reorganizations} reorganizations: no payment is lost or made twice @chaos-8`,
  {
    ...within(600_000 + reorganizations * 20_000),
  },
  async () => {
    console.log(`CHAOS_SEED=${seed} CHAOS_REORGS=${reorganizations}`)
    const { stack, node, stop } = await createFaultyStack({ finalityBlocks })
    try {
      const { bursar } = stack
      const chain = chainReader(stack.rpc[8453], stack.contracts[8453].usdc)
      const history = new History()
      const records: SenderRecord[] = []
      for (let index = 0; index < 2; index++) {
        const sender = await createSender(stack, { funds: '900', limit: 4, agents: 2, rules: wideRules() })
        records.push({ index, sender, payouts: [], problems: [], replays: [] })
      }
      // Nobody repeats deploys and deposits, so no reorganization reaches back to them.
      const madeAt = Number(await chain.client.getBlockNumber())

      let isOver = false
      const clients = records.flatMap((record) =>
        Array.from({ length: 3 }, (_, i) => {
          const random = randomFrom(seed + 1 + record.index * 3 + i)
          return new Client({ name: `s${record.index}c${i}`, bursar, record, random, history }).run(() => isOver)
        }),
      )
      const random = randomFrom(seed)
      const reorganizing = (async () => {
        for (let i = 1; i <= reorganizations; i++) {
          await pause(random.int(2_000, 6_000))
          node.setFault({ mode: random.pick(['none', 'none', 'slow', 'swallow'] as const), delayMs: 500 })
          const head = Number(await chain.client.getBlockNumber())
          const depth = Math.min(random.int(2, deepest), head - madeAt - 1)
          if (depth > 0) await chain.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
          history.note('reorganization', null, depth)
          await pause(random.int(0, 1_500))
          node.setFault({ mode: 'none' })
          if (i % 5 === 0) {
            await stack.killWorker()
            await stack.restartWorker()
          }
        }
        isOver = true
      })()
      await Promise.all([reorganizing, ...clients]).finally(() => {
        isOver = true
      })

      const problems = records.flatMap((record) => record.problems)
      for (const { sender, index } of records) {
        const books = await booksAtRest(bursar, sender, restMs, { finalityBlocks })
        const operations = history.operations.filter((operation) => operation.sender === index)
        const address = sender.wallet.address as Address
        const [transfers, balance, nonces] = await Promise.all([
          chain.transfers(),
          chain.balanceOf(address),
          chain.nonces(address),
        ])
        problems.push(
          ...violations(sender, operations, books, { transfers, balance, nonces }).map((one) => `${index}: ${one}`),
        )
        await until('the wallet pays again', async () => {
          const { status } = await bursar.call('/api/transactions/send', {
            token: await sender.token(),
            key: `after-${index}`,
            body: { walletId: sender.wallet.id, toAddress: `0x${'15'.repeat(20)}`, amount: '0.1' },
          })
          return status === 201
        })
      }
      problems.push(...logProblems(stack))
      const log = readFileSync(join(stack.stateDir, 'wrangler.log'), 'utf8')
      const undone = [...log.matchAll(/"chain_reorganized".*"undone":(\d+)/g)].map(([, count]) => Number(count))
      console.log(`bookings undone: ${undone.join(', ')}; ${history.operations.length} operations`)
      expect(Math.max(0, ...undone), 'bookings were undone').toBeGreaterThan(0)
      expect(problems).toEqual([])
    } finally {
      await stop()
    }
  },
)
