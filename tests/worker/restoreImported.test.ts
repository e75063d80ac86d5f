/** What a Treasury that was put back imports from D1 and from the chain. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { primaryDb } from '../../worker/db/d1.ts'
import { sendChanges } from '../../worker/treasury/delivery/history.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { haltAfterMs } from '../../worker/treasury/wallets/walletHalts.ts'
import { groupEdit, owner, usdc } from '../support/build.ts'
import { forgetPayment, historyRows, syncHistory } from '../support/histories.ts'
import { kill } from '../support/kill.ts'
import { becomes, look, payoutIs, payoutOf } from '../support/manualClock.ts'
import { accepted, createPayer, fresh, manualChain, type Payer, prepare } from '../support/payer.ts'
import { copyOf, pastTheGate, putBack } from '../support/restoredTreasury.ts'
import { redeploy, settingsWith } from '../support/rings.ts'
import { setFreeze, withoutStopObject } from '../support/stops.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const _db = primaryDb(env.DB)
const operator = 'ann@example.com'
const toBob = { to: { type: 'email', email: 'bob@example.com' } } as const
const inTreasury = <T>({ treasury }: Payer, work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)
const rows = (payer: Payer, query: string, ...values: string[]) =>
  inTreasury(payer, ({ context: { store } }) => store.all(query, ...values))

test('a claim after the restore is delivered, even if an earlier claim expired @restore-27', async () => {
  const payer = await createPayer({ on: manualChain })
  const { id } = await accepted(payer, toBob)
  await payoutIs(payer, id, 'CREATED')
  const goBack = await copyOf(payer)
  const claim = async (to = fresh('bob')) => {
    const { code_version: codeVersion } = await payoutOf(payer, id)
    expect(await payer.treasury().claim({ payoutId: id, codeVersion, to })).toMatchObject({ ok: true })
    await look(payer)
  }
  // This claim does not reach the chain before its deadline.
  await claim()
  await syncHistory(payer)
  const { restore, open } = await putBack(payer, goBack)
  expect(await restore()).toMatchObject({ step: 'done' })
  await open()
  expect(await payoutOf(payer, id)).toMatchObject({ status: 'CREATED', action_version: 1 })

  await claim()
  await payoutIs(payer, id, 'WITHDRAWN')
  await payer.booksBalance()
})

test('payments of a new period count in its budget once @restore-28', async () => {
  const payer = await createPayer({ on: manualChain })
  const limits = { periodBudget: { period: 'day', limit: usdc('20') } } as const
  expect(await payer.treasury().policies().editGroup(payer.group.id, groupEdit({ limits }))).toMatchObject({ ok: true })
  const goBack = await copyOf(payer)
  for (const amount of ['1', '2']) {
    const { id } = await accepted(payer, { amount: usdc(amount) })
    await becomes(payer, id, 'CONFIRMED')
  }
  await syncHistory(payer)
  const used = () =>
    rows(payer, 'SELECT newest, slices, held, spent FROM policy_group JOIN rule_window ON group_id = id')
  const before = await used()
  const { restore, open } = await putBack(payer, (store) => {
    goBack(store)
    store.run('UPDATE rule_window SET newest = newest - 86400000')
  })
  expect(await restore()).toMatchObject({ step: 'done' })
  await open()
  expect(await used()).toEqual(before)
})

test('after a restore webhooks are off, and whatever raises what may leave needs the password @restore-46', async () => {
  const payer = await createPayer({ on: manualChain })
  const goBack = await copyOf(payer)
  await inTreasury(payer, ({ context }) => context.store.setMeta('approval_password_above', usdc('5')))
  await syncHistory(payer)
  const { restore, open } = await putBack(payer, (store) => {
    goBack(store)
    store.run(
      "INSERT INTO webhook VALUES ('former', 'https://former.example', '[\"*\"]', 1, NULL, 1, 'sealed', NULL, NULL, 0)",
    )
  })
  // D1 has it as switched on, because its owner changed the address and not the state.
  await env.DB.prepare("INSERT INTO webhook_endpoint (id, user_id, state, edition) VALUES ('former', ?, 'on', 1)")
    .bind(payer.userId)
    .run()
  expect(await restore()).toMatchObject({ step: 'done' })
  await open()
  expect(await rows(payer, 'SELECT id, enabled FROM webhook')).toEqual([{ id: 'former', enabled: 0 }])
  expect(await payer.treasury().approvals().settings()).toEqual({ passwordAbove: '0' })
})

/** Sends while the stop object does not respond: the payment is accepted but not signed. Returns its id. */
async function sendUnsigned(payer: Payer, input: PayInput) {
  const sent = await withoutStopObject(payer, async (treasury) => {
    const result = await treasury.send(input)
    // After the object was put back, History refuses its changes.
    await sendChanges(treasury.context).catch(() => {})
    return result.ok ? result.value : null
  })
  expect(sent).toMatchObject({ status: 'QUEUED' })
  return sent!.id
}

test.each(['signed', 'unsigned'])(
  'a key reused before the object knew that it went back returns the original payment, which History knew as %s @restore-29',
  async (known) => {
    const payer = await createPayer({ on: manualChain })
    await payer.ledger()
    const goBack = await copyOf(payer)
    const to = { type: 'address', address: fresh('once') } as const
    const request = payer.payment({ principal: owner, to })
    const id = await sendUnsigned(payer, request)
    const [unsigned] = await historyRows<{ kept: string }>(payer, 'SELECT kept FROM transaction_view WHERE id = ?', id)
    await becomes(payer, id, 'CONFIRMED')
    await syncHistory(payer)
    if (known === 'unsigned')
      await historyRows(payer, 'UPDATE transaction_view SET kept = ? WHERE id = ?', unsigned!.kept, id)
    await inTreasury(payer, ({ context }) => goBack(context.store))
    const second = await sendUnsigned(payer, request)
    expect(second).not.toBe(id)
    const { restore, open } = await putBack(payer, () => {})
    expect(await restore()).toMatchObject({ step: 'done', unexplained: [] })
    await open()

    expect(await payer.treasury().send(request)).toMatchObject({ ok: true, value: { id, status: 'CONFIRMED' } })
    expect(await payer.status(second)).toBe('FAILED')
    expect(await payer.booksBalance()).toMatchObject({ out: '1', held: '0' })
    // History has the rows as they are now, although it followed the lost changes.
    await syncHistory(payer)
    const listed = 'SELECT id, status FROM transaction_view WHERE id IN (?, ?)'
    expect(new Set(await historyRows(payer, listed, id, second))).toEqual(
      new Set([
        { id, status: 'CONFIRMED' },
        { id: second, status: 'FAILED' },
      ]),
    )
  },
)

test('a payout whose payout secret was removed is left to an operator, and the restore continues @restore-26', async () => {
  const payer = await createPayer({ on: manualChain })
  const goBack = await copyOf(payer)
  const { id } = await accepted(payer, toBob)
  await payoutIs(payer, id, 'CREATED')
  await syncHistory(payer)
  await redeploy(payer.userId, settingsWith({ PAYOUT_SECRET: { from: 0 } }, ['PAYOUT_SECRET']))
  const { restore, open } = await putBack(payer, goBack)
  const { step, unexplained, list } = await restore()
  expect({ step, unexplained }).toEqual({
    step: 'unexplained',
    unexplained: [{ what: 'payout', ref: id, detail: expect.stringContaining('key can’t be derived') }],
  })
  expect(await restore({ by: operator, list: list! })).toMatchObject({ step: 'done' })
  await open()
  expect(await payoutOf(payer, id)).toMatchObject({ status: 'CREATED' })
  await payer.booksBalance()
})

test('an operator can accept the rest while a wallet whose books differ is halted @restore-24', async () => {
  const payer = await createPayer({ on: manualChain })
  const goBack = await copyOf(payer)
  const { id } = await accepted(payer)
  await becomes(payer, id, 'CONFIRMED')
  await syncHistory(payer)
  const { restore, open } = await putBack(payer, (store) => {
    goBack(store)
    store.run('UPDATE wallet SET deposits = deposits + 1')
  })
  expect(await restore()).toMatchObject({ step: 'unexplained', unexplained: [{ what: 'books', ref: payer.wallet.id }] })
  await inTreasury(payer, (treasury) => {
    const context = pastTheGate(treasury)
    const { now } = context
    context.now = () => now() + haltAfterMs
  })
  // The books are read once more before the wallet is halted.
  await restore()
  const { list } = await restore()
  expect(await restore({ by: operator, list: list! })).toMatchObject({ step: 'done' })
  await open()
  expect(await payer.status(id)).toBe('PROCESSING')
  const [wallet] = await rows(payer, 'SELECT halt_kind FROM wallet')
  expect(wallet).toEqual({ halt_kind: 'books' })
})

test('a Treasury that was put back asks the stop object before it reads the chain, so a transfer that History lacks is still found @restore-45', async () => {
  const payer = await createPayer({ on: manualChain })
  const goBack = await copyOf(payer)
  const { id } = await accepted(payer)
  await becomes(payer, id, 'CONFIRMED')
  await syncHistory(payer)
  await forgetPayment(payer, id)
  await setFreeze(payer.userId, `rst_${payer.userId}`)
  await inTreasury(payer, ({ context }) => goBack(context.store))
  await kill(payer.treasury())
  await expect(payer.ledger()).rejects.toThrow('the account is being restored')
  const { restore } = await putBack(payer, () => {})
  expect(await restore()).toMatchObject({ unexplained: [{ what: 'transfer' }] })
})
