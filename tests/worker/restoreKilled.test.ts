/** A restore that is killed repeatedly, in a Treasury whose tables are put back to an earlier time. */

import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { primaryDb } from '../../worker/db/d1.ts'
import { endRestore, openRestore, startRestore } from '../../worker/db/userRestores.ts'
import { unwrap } from '../../worker/result.ts'
import type { RestoreProgress } from '../../worker/treasury/restore/rpcTypes.ts'
import { continueRestore } from '../../worker/treasury/restore/steps.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { usdc } from '../support/build.ts'
import { syncHistory } from '../support/histories.ts'
import { createPayer, fresh, manualChain, prepare, until } from '../support/payer.ts'
import { copyTables, pastTheGate } from '../support/restoredTreasury.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const db = primaryDb(env.DB)
test('a restore killed after one write, then two, then three and so on, ends like one that was never killed @restore-19', async () => {
  const payer = await createPayer({ on: manualChain })
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)
  const pay = async (to: object, status: string) => {
    const input = payer.payment({ to } as never)
    const paid = unwrap(await payer.treasury().payAsAgent(input))
    const { id } = paid.payment
    await until(`${status}`, async () => {
      await manualChain.mine()
      const found = await payer.treasury().transaction(id)
      return found.ok && found.value.status === status
    })
    return { id, key: input.key! }
  }
  const address = () => ({ type: 'address', address: fresh('killed') })
  await pay(address(), 'CONFIRMED')
  await syncHistory(payer)
  const goBack = await inTreasury(({ context }) => copyTables(context.store))
  const since = [
    await pay(address(), 'CONFIRMED'),
    await pay(address(), 'CONFIRMED'),
    await pay({ type: 'email', email: 'killed@example.com' }, 'PENDING'),
  ]
  await syncHistory(payer)
  const books = await payer.booksBalance()
  const spent = await payer.groupNow()

  await startRestore(db, payer.userId, 'rst_killed', Date.now())
  const { id, startedAt } = (await openRestore(db, payer.userId))!
  await inTreasury((treasury) => {
    treasury.context.freeze(id)
    goBack(pastTheGate(treasury).store)
  })
  const input = { id, startedAt, frozenAt: Date.now(), accept: null }

  // Each call has a store that dies after `limit` writes.
  let writes = 0
  const step = (limit: number) =>
    inTreasury(async (treasury) => {
      const context = pastTheGate(treasury)
      const dying = new Proxy(context.store, {
        get: (store, name) => {
          const value: unknown = Reflect.get(store, name, store)
          if (typeof value !== 'function') return value
          return (...parameters: unknown[]) => {
            const result: unknown = value.apply(store, parameters)
            if ((name === 'run' || name === 'transaction') && ++writes === limit) throw new Error('killed')
            return result
          }
        },
        set: (store, name, value) => Reflect.set(store, name, value, store),
      })
      return continueRestore({ ...context, store: dying }, input)
    })
  let isLate = false
  let kills = 0
  let progress: RestoreProgress
  for (let limit = 1; ; limit++) {
    writes = 0
    try {
      do {
        progress = await step(limit)
        if (progress.step === 'unexplained') throw new Error(JSON.stringify(progress.unexplained))
        if (progress.step === 'waiting' && !isLate) {
          isLate = true
          await manualChain.node('evm_increaseTime', 400)
          await manualChain.mine(4)
        }
      } while (progress.step !== 'done')
      break
    } catch (error) {
      expect(String(error)).toContain('killed')
      kills += 1
    }
  }
  expect(kills).toBeGreaterThan(10)
  expect(progress.step).toBe('done')
  await inTreasury((treasury) => treasury.restore().continue(input))
  await endRestore(db, payer.userId, id, Date.now())
  await until('open', async () => payer.ledger().catch(() => null))

  expect(await payer.booksBalance()).toMatchObject({
    out: books.out,
    available: books.available,
    escrowed: books.escrowed,
  })
  expect(await payer.groupNow()).toMatchObject({ currentSpent: spent.currentSpent, held: spent.held })
  const keys = await inTreasury(({ context: { store } }) =>
    since.map(({ key }) => store.all<{ ref: string }>('SELECT ref FROM idempotency WHERE key LIKE ?', `%|${key}`)),
  )
  expect(keys).toEqual(since.map((paid) => [{ ref: paid.id }]))
  expect(await payer.treasury().reports().auditCheck()).toMatchObject({ brokenAt: null })
  expect(usdc(books.out)).toBe(usdc('4'))
}, 120_000)
