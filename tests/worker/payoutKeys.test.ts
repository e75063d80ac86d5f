/** Payouts whose secret is missing in the settings. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { submittedAt } from '../../worker/treasury/wallets/relay/submitJobs.ts'
import { createPayout, expire, payoutIs, payoutOf, settlesAs } from '../support/manualClock.ts'
import { accepted, createPayer, fresh, manualChain, type Payer, prepare } from '../support/payer.ts'
import { redeploy, settingsWith } from '../support/rings.ts'
import { changeJobs } from '../support/treasuries.ts'

beforeAll(prepare)
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  return () => vi.restoreAllMocks()
})

const context = <T>({ treasury }: Payer, work: (context: Treasury['context']) => T) =>
  runInDurableObject(treasury(), (treasury: Treasury) => work(treasury.context))

test('a payout whose secret is missing is refused with a message, blocks no other, and is returned at its expiry @payout-keys-1', async () => {
  const payer = await createPayer({ on: manualChain })
  const { id: lost } = await createPayout(payer)
  await redeploy(payer.userId, settingsWith({ PAYOUT_SECRET: { from: 1 } }, ['PAYOUT_SECRET']))
  const { id: other } = await createPayout(payer)

  const refused = { ok: false, code: 'unavailable', message: expect.stringContaining('Nothing was signed') }
  const { code_version: codeVersion } = await payoutOf(payer, lost)
  expect(await payer.treasury().claim({ payoutId: lost, codeVersion, to: fresh('bob') })).toMatchObject(refused)
  expect(await payer.treasury().reclaim(lost)).toMatchObject(refused)
  expect(await payer.treasury().reclaimAll()).toMatchObject({ value: { count: 2 } })
  await payoutIs(payer, other, 'RECLAIMED')
  expect(await payoutOf(payer, lost)).toMatchObject({ status: 'CREATED', reclaim_asked_at: null })

  await expire(payer, lost)
  await payoutIs(payer, lost, 'RECLAIMED')
  await payer.booksBalance()
})

test('open payments whose signatures are lost do not block a claim @payout-keys-2', async () => {
  const payer = await createPayer({ on: manualChain })
  const { id } = await createPayout(payer)
  await changeJobs(payer, (jobs) => jobs.filter(({ kind }) => kind !== 'send'))
  const { id: payment } = await accepted(payer)
  await settlesAs(payer, payment, 'PROCESSING')
  await context(payer, (ctx) => {
    ctx.store.run('UPDATE payment SET r = NULL, vs = NULL WHERE id = ?', payment)
    submittedAt(ctx).clear()
  })

  const { code_version: codeVersion } = await payoutOf(payer, id)
  expect(await payer.treasury().claim({ payoutId: id, codeVersion, to: fresh('bob') })).toMatchObject({ ok: true })
  await payoutIs(payer, id, 'WITHDRAWN')
  expect(await payer.status(payment)).toBe('PROCESSING')
})
