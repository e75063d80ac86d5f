/** Freezes whose end D1 missed, or whose row D1 lost. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { primaryDb } from '../../worker/db/d1.ts'
import { openRestore } from '../../worker/db/userRestores.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { owner } from '../support/build.ts'
import { becomes } from '../support/manualClock.ts'
import { mortalDb } from '../support/mortal.ts'
import { createPayer, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { copyOf, pastTheGate } from '../support/restoredTreasury.ts'
import { restoringOperator } from '../support/restoringOperator.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const db = primaryDb(env.DB)
const inTreasury = <T>({ treasury }: Payer, work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)
const works = (payer: Payer) => until('the account works', () => payer.ledger().catch(() => null))

/** Freezes and unfreezes the account without reporting the end to D1. */
async function openUnheard(payer: Payer) {
  const operator = await restoringOperator(payer)
  await operator.run('freeze')
  const { id } = (await openRestore(db, payer.userId))!
  expect(await payer.treasury().restore().unfreeze(id)).toEqual({ isOpen: true })
  await works(payer)
  return { id, ...operator }
}

async function paid(payer: Payer) {
  const request = payer.payment({ principal: owner })
  const sent = await payer.treasury().send(request)
  const id = sent.ok ? sent.value.id : sent.message
  await becomes(payer, id, 'CONFIRMED')
  return { request, id }
}

const isClosed = (payer: Payer, request: PayInput) =>
  inTreasury(payer, (treasury) => expect(treasury.send(request)).rejects.toThrow('account_restoring'))

test('a freeze after one whose end D1 missed starts a new restore, wherever D1 fails, and nothing is paid twice @restore-36', async () => {
  const payer = await createPayer({ on: manualChain })
  const { id: first, back, goOn } = await openUnheard(payer)
  const earlier = await copyOf(payer)
  const { request, id } = await paid(payer)
  expect(await payer.booksBalance()).toMatchObject({ out: '1' })

  // D1 fails after one effect, then after two and so on.
  for (let effects = 1, left = 0; left <= 0; effects++) {
    left = effects
    const failing = mortalDb(() => {
      left -= 1
      if (left === 0) throw new Error('D1 fails')
    })
    const { run } = await restoringOperator(payer, failing)
    const reply = await run('freeze').catch(() => null)
    if (!reply) continue
    expect(reply).toMatchObject({ step: 'frozen', doing: expect.stringContaining('has everything') })
    expect(await openRestore(db, payer.userId), `frozen after ${effects}`).not.toBeNull()
  }
  const second = (await openRestore(db, payer.userId))!
  expect(second.id).not.toBe(first)
  expect(second.frozenAt).not.toBeNull()
  expect(await back(earlier)).toMatchObject({ step: 'going_back' })
  await isClosed(payer, request)
  expect(await goOn()).toMatchObject({ step: 'done' })
  await works(payer)
  expect(await payer.treasury().send(request)).toMatchObject({ ok: true, value: { id, status: 'CONFIRMED' } })
  expect(await payer.booksBalance()).toMatchObject({ out: '1' })
})

test('a Treasury that was put back stays closed if D1 lost its restore, until it has read what it forgot @restore-37', async () => {
  const payer = await createPayer({ on: manualChain })
  const { run, back, goOn } = await restoringOperator(payer)
  const earlier = await copyOf(payer)
  const { request, id } = await paid(payer)
  await run('freeze')
  await back(earlier)
  await isClosed(payer, request)
  await env.DB.prepare('DELETE FROM user_restore WHERE user_id = ?').bind(payer.userId).run()

  await expect(run('freeze')).rejects.toThrow('was put back')
  await expect(run('unfreeze')).rejects.toThrow('was put back')
  // No object has confirmed the new freeze, so an older one may still have signed for ten seconds.
  await inTreasury(payer, (treasury) => {
    const context = pastTheGate(treasury)
    context.now = () => Date.now() + 10_000
  })
  expect(await goOn()).toMatchObject({ step: 'done' })
  await works(payer)
  expect(await payer.treasury().send(request)).toMatchObject({ ok: true, value: { id } })
  expect(await payer.booksBalance()).toMatchObject({ out: '1' })
})
