/** Very many small transfers by a stranger. `npm run test:long dust` has 300,000 of them, and measures the memory. */
import { beforeAll, expect, test } from 'vitest'
import type { Address } from '../../worker/chain/types.ts'
import { createDustSender } from '../support/dust.ts'
import { look } from '../support/manualClock.ts'
import { accepted, manualChain as chain, createPayer, fresh, type Payer, prepare, until } from '../support/payer.ts'
import { blockAt } from '../support/reorganization.ts'
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
const walletOf = (payer: Payer) => payer.wallet.address as Address

/**
 * Mines until the payments are on chain. Returns how many blocks all of them take to be confirmed once the wallet is read up
 * to the newest block: readings of its alarms compete with ours.
 */
async function blocksUntilConfirmed(payer: Payer, payments: { id: string; to: Address }[]): Promise<number> {
  await until('the payments on chain', async () => {
    await chain.mine()
    return (await Promise.all(payments.map(({ to }) => chain.usdcBalance(to)))).every((balance) => balance > 0n)
  })
  const { number: paidBy } = await blockAt('latest')
  let blocks = 0
  await until('the payments confirmed', async () => {
    await look(payer)
    const statuses = await Promise.all(payments.map(({ id }) => payer.status(id)))
    if (statuses.every((status) => status === 'CONFIRMED')) return true
    const [wallet] = await rowsOf<{ scanned_block: number }>(payer, 'SELECT scanned_block FROM wallet')
    if (wallet!.scanned_block >= paidBy) blocks += 1
    await chain.mine()
    return false
  })
  return blocks
}

async function pay(payer: Payer) {
  const to = fresh('shop')
  const { id } = await accepted(payer, { to: { type: 'address', address: to } })
  return { id, to }
}

test('a wallet that was last read before the dust is read up to the newest block by its alarm, and can pay @scans-5', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const rowsBefore = await countOf(payer, 'audit')
  for (const amount of [1n, 0n, 1n]) {
    await send(walletOf(payer), amount)
    await chain.mine()
  }
  await runNow(payer, 'scan')
  expect(await countOf(payer, 'audit')).toBe(rowsBefore + 2)
  expect((await payer.booksBalance()).deposits).toBe('200.004')
  expect(await blocksUntilConfirmed(payer, [await pay(payer)])).toBeLessThanOrEqual(5)
})

test('payments of a wallet that gets dust in every block are confirmed @scans-6', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const payments: Awaited<ReturnType<typeof pay>>[] = []
  const rowsBefore = await countOf(payer, 'booked_log')
  for (let block = 0; block < 4; block++) {
    payments.push(await pay(payer))
    await send(walletOf(payer), BigInt(block % 2))
    await chain.mine()
    await look(payer)
  }
  expect(await blocksUntilConfirmed(payer, payments)).toBeLessThanOrEqual(5)
  await payer.booksBalance()
  expect((await countOf(payer, 'booked_log')) - rowsBefore, 'two blocks of dust, four payments').toBe(6)
})
