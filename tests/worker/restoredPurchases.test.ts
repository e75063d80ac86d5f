/** Purchases of an account whose Treasury is rolled back. */
import { beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../worker/result.ts'
import { syncHistory } from '../support/histories.ts'
import { kill } from '../support/kill.ts'
import { becomes, lookUntil, mineUntil, pass } from '../support/manualClock.ts'
import { type Payer, prepare } from '../support/payer.ts'
import { copyOf, restoringOperator, withoutHistory, works } from '../support/restoringOperator.ts'
import { inTreasury, rowsOf } from '../support/treasuries.ts'
import { buy, createBuyer, payloadOf, settle } from '../support/workerBuyer.ts'

beforeAll(prepare)

/** Gives the wallet's next session key its first purchase allowance. */
async function allowPurchases(payer: Payer): Promise<void> {
  const grant = { key: 'first allowance', walletId: payer.wallet.id, limit: 100_000_000n, hours: 48 }
  unwrap(await payer.wallets().rotateSessionKey({ ...grant, purchaseAllowance: 20 }))
  const isAdopted = 'SELECT 1 FROM session WHERE current = 1 AND purchase_allowance = 20'
  await mineUntil(payer, 'rotated', async () => (await rowsOf(payer, isAdopted)).length > 0)
}

test('a Treasury restored to a moment before its first purchase allowance finds the purchases that were settled @restore-61', async () => {
  const payer = await createBuyer()
  await syncHistory(payer)
  const earlier = await copyOf(payer)
  await withoutHistory(payer)
  await allowPurchases(payer)
  const { id, address } = await buy(payer, 'lost')
  await settle(payer, id)
  await becomes(payer, id, 'CONFIRMED')
  await inTreasury(payer, ({ context }) => earlier(context.store))
  await kill(payer.treasury())

  const { run, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await run('back', { lost: true })
  const shown = await continueRestore()
  const detail = expect.stringContaining(`0.50 USDC to ${address.toLowerCase()}, signed here`)
  expect(shown).toMatchObject({ state: 'needs_review', unexplained: [{ what: 'unrecorded', detail }] })
  expect(await continueRestore({ accept: shown.list! })).toMatchObject({ state: 'open_watched' })
  await works(payer)
  expect(await payer.booksBalance()).toMatchObject({ out: '0', withdrawn: '0.5', held: '0' })
})

test('a purchase that died since gave its number to another, which the restored Treasury settles once @restore-62', async () => {
  const payer = await createBuyer(20)
  const died = await buy(payer, 'died')
  const { nonce } = (await payloadOf(payer, died.id)).authorization
  await syncHistory(payer)
  const earlier = await copyOf(payer)

  await pass(400)
  await lookUntil(payer, 'the first is dead', async () => (await payer.status(died.id)) === 'FAILED')
  const settled = await buy(payer, 'settled')
  expect((await payloadOf(payer, settled.id)).authorization.nonce).toBe(nonce)
  await settle(payer, settled.id)
  await becomes(payer, settled.id, 'CONFIRMED')
  await syncHistory(payer)

  const { run, back, continueRestore } = await restoringOperator(payer)
  await run('freeze')
  await back(earlier)
  expect(await continueRestore()).toMatchObject({ state: 'open', unexplained: [] })
  await works(payer)
  expect([await payer.status(died.id), await payer.status(settled.id)]).toEqual(['FAILED', 'CONFIRMED'])
  expect(await rowsOf(payer, 'SELECT id FROM payment WHERE authorization IS NOT NULL')).toEqual([{ id: settled.id }])
  expect(await payer.booksBalance()).toMatchObject({ out: '0.5', held: '0', withdrawn: '0' })
  expect(await payer.groupNow()).toMatchObject({ currentSpent: '0.5', held: '0' })
  const classes = await rowsOf(payer, 'SELECT taken, settled FROM purchase_class WHERE class = 2')
  expect(classes, 'no number is given out again').toEqual([{ taken: 12, settled: 1 }])
})
