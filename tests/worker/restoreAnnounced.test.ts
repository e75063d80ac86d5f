/** A restore that finds a payout on chain that History does not have. */

import { beforeAll, expect, test } from 'vitest'
import { historyRows, syncHistory } from '../support/histories.ts'
import { becomes, payoutIs, payoutOf } from '../support/manualClock.ts'
import { accepted, createPayer, fresh, manualChain, prepare } from '../support/payer.ts'
import { copyOf, putBack } from '../support/restoredTreasury.ts'

beforeAll(prepare, 60_000)

test('a payout that only the chain knows is reported with the time of its return @restore-22', async () => {
  const payer = await createPayer({ on: manualChain })
  const goBack = await copyOf(payer)
  const pay = async (to: object) => {
    return accepted(payer, { to } as never)
  }
  const { id } = await pay({ type: 'email', email: 'unheard@example.com' })
  await payoutIs(payer, id, 'CREATED')
  const { address, expiry } = await payoutOf(payer, id)
  const transfer = await pay({ type: 'address', address: fresh('unheard') })
  await becomes(payer, transfer.id, 'CONFIRMED')
  await syncHistory(payer)
  for (const table of ['payout_view', 'transaction_view']) await historyRows(payer, `DELETE FROM ${table}`)

  const progress = await (await putBack(payer, goBack)).restore()
  const details = progress.unexplained.map(({ what, detail }) => [what, detail.toLowerCase()])
  expect(details).toEqual([
    ['payout', expect.stringContaining(`1 usdc to ${address.toLowerCase()}`)],
    ['transfer', expect.stringContaining('no payment matches it')],
  ])
  const returnsAt = new Date(expiry * 1000).toISOString()
  expect(details[0]![1]).toContain(`return it to the wallet from ${returnsAt.toLowerCase()}`)
}, 60_000)
