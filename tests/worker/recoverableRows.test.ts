/** The rows that History keeps of an account, from which its Treasury can be restored. */

import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import type { RecoverablePayment, RecoverablePayout } from '../../worker/treasury/outbox/delivery/recoverableRows.ts'
import { tokenBinding } from '../../worker/treasury/payments/payouts/codes.ts'
import { historyOf, historyRows, syncHistory } from '../support/histories.ts'
import { createImporter } from '../support/importer.ts'
import { accepted, createPayer, fresh, prepare } from '../support/payer.ts'
import { redeploy, settingsWith } from '../support/rings.ts'
import { inTreasury } from '../support/treasuries.ts'

beforeAll(prepare)

const recoverableRows = async (view: string, userId: string) =>
  (
    await historyRows<{ recoverable: string }>(userId, `SELECT recoverable FROM ${view} WHERE recoverable IS NOT NULL`)
  ).map(({ recoverable }) => JSON.parse(recoverable))

test('History keeps payments with their idempotency keys, payouts without their codes, wallets, and the salt @restore-10', async () => {
  const payer = await createPayer()
  const pay = async (key: string, to: object) => {
    const paid = await accepted(payer, { to, key } as never)
    return payer.final(paid.id)
  }
  const sent = await pay('key of the send', { type: 'address', address: fresh('kept') })
  const payout = await pay('key of the payout', { type: 'email', email: 'kept@example.com' })
  await syncHistory(payer)

  const payments: RecoverablePayment[] = await recoverableRows('transaction_view', payer.userId)
  const of = (id: string) => payments.find(({ row }) => row.id === id)!
  const stored = await inTreasury(payer.userId, ({ context: { store } }) =>
    [sent, payout].map(({ id }) => ({ row: store.payment(id)!, payout: store.payout(id) })),
  )
  for (const { row } of stored) {
    const { r, vs, gas_send, gas_announce, gas_end, request_key, ...rest } = row
    const { request } = of(row.id)
    expect({ ...Object.fromEntries(Object.keys(rest).map((name) => [name, null])), ...of(row.id).row }).toEqual(rest)
    expect(request?.key).toBe(request_key)
    expect(request?.fingerprint).toContain(String(row.amount))
  }
  expect(of(sent.id).request?.key).toMatch(/\|key of the send$/)

  const [kept]: RecoverablePayout[] = await recoverableRows('payout_view', payer.userId)
  expect(kept).toMatchObject({ id: payout.id, payout_hash: stored[1]!.payout!.payout_hash, code_version: 1 })
  expect(Object.keys(kept!)).not.toContain('sealed_code')
  const values = () => historyOf(payer).recoverableValues()
  const [salt, wallet] = await values()
  expect(salt).toEqual({ name: 'salt', value: expect.stringMatching(/^v1\./) })
  expect(wallet!.name).toBe(`wallet:${payer.wallet.id}`)
  expect(JSON.parse(wallet!.value)).toMatchObject({ kind: 'smart', deleted: false, start_balance: 0 })

  // Neither wallet keys nor passwords leave the Treasury.
  const importer = await createImporter()
  await syncHistory(importer)
  const ofImporter = JSON.stringify(await historyOf(importer).recoverableValues())
  expect(ofImporter).toContain(importer.wallet.id)
  expect(ofImporter).not.toMatch(/sealed|v1\./)

  // The copies follow a rotation of the KEK.
  await redeploy(payer.userId, settingsWith({ KEK: { from: Date.now() - hourMs } }))
  expect(await inTreasury(payer.userId, (treasury) => treasury.operators().renewKeys())).toMatchObject({ unsealed: 0 })
  expect((await values())[0]!.value).toMatch(/^v2\./)
  const [again]: RecoverablePayout[] = await recoverableRows('payout_view', payer.userId)
  expect(again!.sealed_token).toMatch(/^v2\./)
  const opened = await inTreasury(payer.userId, ({ context }) =>
    context.sealer.open(again!.sealed_token!, tokenBinding(context, payout.id)),
  )
  expect(opened).toMatch(/^[\w-]{52}$/)
})
