/** When a frozen Treasury may go back or be opened. The platform's recovery is replaced, because workerd has none. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { openRestore, startRestore } from '../../worker/db/userRestores.ts'
import type { Context } from '../../worker/treasury/core/context.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createPayer, manualChain, prepare } from '../support/payer.ts'
import { copyTables, pastTheGate } from '../support/restoredTreasury.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

test('a Treasury goes back only when it is frozen and History has everything, and never while it is being unfrozen @restore-21', async () => {
  const payer = await createPayer({ on: manualChain })
  const id = 'rst_back'
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)
  const contextOf = (treasury: Treasury) => (treasury as unknown as { restoreContext: Context }).restoreContext
  const past = Date.now() - minuteMs
  const wait = 'try again in a minute'

  await inTreasury((treasury) =>
    expect(treasury.restore().goBack(id, past, true)).rejects.toThrow('the account is not frozen'),
  )
  await inTreasury((treasury) => treasury.restore().freeze(id, true))
  await inTreasury(async (treasury) => {
    const context = contextOf(treasury)
    const [started, recovery] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    treasury.snapshots = () => ({
      goBack() {
        started.resolve()
        return recovery.promise
      },
    })
    recordChange(context, 'pay_unsent')
    expect(await treasury.restore().goBack(id, past, false), 'History lacks a payment').toEqual({ isSent: false })

    const back = treasury.restore().goBack(id, past, true)
    await expect(treasury.restore().unfreeze(id)).rejects.toThrow(wait)
    await expect(treasury.restore().goBack(id, past, true)).rejects.toThrow(wait)
    await started.promise
    recovery.reject(new Error('no such bookmark'))
    await expect(back).rejects.toThrow('no such bookmark')

    const opened = treasury.restore().unfreeze(id)
    await expect(treasury.restore().goBack(id, past, true)).rejects.toThrow(wait)
    expect(await opened).toEqual({ isOpen: true })
  })
})

test('a Treasury that was put back is neither frozen again nor opened @restore-23', async () => {
  const payer = await createPayer({ on: manualChain })
  const db = primaryDb(env.DB)
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)
  const goBack = await inTreasury(({ context }) => copyTables(context.store))
  await startRestore(db, payer.userId, 'rst_again', Date.now())
  expect(await inTreasury((treasury) => treasury.restore().freeze('rst_again', true))).toMatchObject({
    isAnother: false,
  })
  const backTo = (at: number) =>
    runInDurableObject(payer.treasury(), async (treasury: Treasury, { storage }) => {
      treasury.snapshots = () => ({
        async goBack() {
          goBack(pastTheGate(treasury).store)
          await storage.sync()
        },
      })
      await treasury.restore().goBack('rst_again', at, true)
    })
  await expect(backTo(Date.now() - minuteMs)).rejects.toThrow('goes back')
  expect((await openRestore(db, payer.userId))!.frozenAt, 'also if the reply of the freeze was lost').not.toBeNull()
  expect(await inTreasury((treasury) => treasury.restore().freeze('rst_again', false))).toMatchObject({
    isAnother: true,
  })
  expect(await inTreasury((treasury) => treasury.restore().unfreeze('rst_again'))).toEqual({ isOpen: false })
  // The Treasury can go back to another time, in case the first one was a mistake.
  await expect(backTo(Date.now() - 120_000)).rejects.toThrow('goes back')
})
