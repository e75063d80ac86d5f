/** Very many small transfers by a stranger. `npm run test:long dust` has 300,000 of them, and measures the memory. */
import { beforeAll, expect, test } from 'vitest'
import type { Address } from '../../worker/chain/types.ts'
import { createDustSender } from '../support/dust.ts'
import { look } from '../support/manualClock.ts'
import { accepted, manualChain as chain, createPayer, type Payer, prepare } from '../support/payer.ts'
import { rowsOf, runNow } from '../support/treasuries.ts'

const perBlock = 2_000
let send: Awaited<ReturnType<typeof createDustSender>>

beforeAll(async () => {
  await prepare()
  const fund = (address: Address) => chain.mint(address, 1_000_000_000n)
  send = await createDustSender((...call) => chain.node(...call), chain.contracts.usdc, { perBlock, fund })
})

const countOf = async (payer: Payer, table: string) =>
  (await rowsOf<{ n: number }>(payer, `SELECT count(*) AS n FROM ${table}`))[0]!.n
const addressOf = (payer: Payer) => payer.wallet.address as Address

test('a wallet that was last read before the dust is read up to the newest block by its alarm, and can pay @scans-5', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const rowsBefore = await countOf(payer, 'audit')
  for (const amount of [1n, 0n, 1n]) {
    await send(addressOf(payer), amount)
    await chain.mine()
  }
  await runNow(payer, 'scan')
  expect(await countOf(payer, 'audit')).toBe(rowsBefore + 2)
  expect((await payer.booksBalance()).deposits).toBe('200.004')
  const payment = await accepted(payer)
  let blocks = 0
  for (; (await payer.status(payment.id)) !== 'CONFIRMED'; blocks++) {
    await chain.mine()
    await look(payer)
  }
  expect(blocks).toBeLessThanOrEqual(5)
})

test('payments of a wallet that gets dust in every block are confirmed @scans-6', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const payments: string[] = []
  const rowsBefore = await countOf(payer, 'booked_log')
  for (let block = 0; block < 4; block++) {
    payments.push((await accepted(payer)).id)
    await send(addressOf(payer), BigInt(block % 2))
    await chain.mine()
    await look(payer)
  }
  const open = async () => (await Promise.all(payments.map(payer.status))).filter((status) => status !== 'CONFIRMED')
  let blocks = 0
  for (; (await open()).length > 0; blocks++) {
    await chain.mine()
    await look(payer)
  }
  expect(blocks).toBeLessThanOrEqual(5)
  await payer.booksBalance()
  expect((await countOf(payer, 'booked_log')) - rowsBefore, 'two blocks of dust, four payments').toBe(6)
})
