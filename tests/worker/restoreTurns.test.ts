/** A restore with two callers, as when an operator repeats a slow call from a second terminal. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { openRestore, startRestore } from '../../worker/db/userRestores.ts'
import { recordChange } from '../../worker/treasury/outbox/changes.ts'
import type { RestoreProgress } from '../../worker/treasury/restore/rpcTypes.ts'
import { restoreState, writeState } from '../../worker/treasury/restore/state.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { syncHistory } from '../support/histories.ts'
import { becomes, pass } from '../support/manualClock.ts'
import { accepted, createPayer, fresh, manualChain, type Payer, prepare } from '../support/payer.ts'
import { copyTables, frozenAtRelayers, pastTheGate } from '../support/restoredTreasury.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const db = primaryDb(env.DB)
const inTreasury = <T>(payer: Payer, work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)

/** Loses two payments, then lets `callers` callers continue the restore at the same time. */
async function restoreWith(callers: number) {
  const payer = await createPayer({ on: manualChain })
  const goBack = await inTreasury(payer, ({ context }) => copyTables(context.store))
  for (let i = 0; i < 2; i++) {
    const { id } = await accepted(payer, { to: { type: 'address', address: fresh('turns') } })
    await becomes(payer, id, 'CONFIRMED')
  }
  await syncHistory(payer)
  await startRestore(db, payer.userId, `rst_${callers}`, Date.now())
  const { id, startedAt } = (await openRestore(db, payer.userId))!
  await inTreasury(payer, (treasury) => {
    treasury.context.freeze(id)
    goBack(pastTheGate(treasury).store)
  })
  const input = { id, startedAt, frozenAt: Date.now(), accept: null }
  const seen: RestoreProgress[] = []
  while (seen.at(-1)?.step !== 'done') {
    const together = () => Array.from({ length: callers }, () => payer.treasury().restore().continue(input))
    seen.push(...((await Promise.all(together())) as RestoreProgress[]))
    if (seen.at(-1)!.step === 'waiting') await pass(400)
    expect(seen.at(-1)!.step).not.toBe('unexplained')
  }
  const audited = await inTreasury(payer, (treasury) =>
    pastTheGate(treasury).store.all("SELECT event FROM audit WHERE event GLOB '*.restored' ORDER BY seq"),
  )
  return {
    steps: seen.flatMap(({ step, doing }) => (step === 'importing' ? [doing] : [])),
    counts: seen.find(({ step }) => step === 'done')!.counts,
    audited,
  }
}

test('two concurrent callers of a restore run each step once, like a single caller @restore-30', async () => {
  const alone = await restoreWith(1)
  expect(alone.counts).toMatchObject({ 'payments accepted since': 2, 'wallets read': 1 })
  expect(await restoreWith(2)).toEqual(alone)
})

test('no step of a restore runs while the object goes back, and unfreezing waits for a freeze in progress @restore-31', async () => {
  const payer = await createPayer({ on: manualChain })
  await inTreasury(payer, async (treasury) => {
    const input = { id: 'rst_other', startedAt: Date.now(), frozenAt: Date.now(), accept: null }
    const { store } = pastTheGate(treasury)
    await treasury.restore().continue(input)
    writeState(store, { ...restoreState(store)!, stage: 'check' })
    const [started, recovery] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    treasury.snapshots = () => ({
      goBack() {
        started.resolve()
        return recovery.promise
      },
    })
    const back = treasury.restore().goBack('rst_other', Date.now() - minuteMs, true)
    await expect(treasury.restore().continue(input)).rejects.toThrow('try again in a minute')
    expect(restoreState(store)!.stage).toBe('check')
    await started.promise
    recovery.reject(new Error('no such bookmark'))
    await expect(back).rejects.toThrow('no such bookmark')
    await treasury.restore().continue(input)
    expect(restoreState(store)!.stage).toBe('end')
  })

  const other = await createPayer({ on: manualChain })
  await inTreasury(other, async (treasury) => {
    recordChange(pastTheGate(treasury), 'pay_slow')
    const freeze = treasury.restore().freeze('rst_slow', true)
    expect(await treasury.restore().unfreeze('rst_slow')).toEqual({ isOpen: true })
    await freeze
  })
  expect(await frozenAtRelayers(other.treasury())).toEqual([false, false])
})
