/** What accounts that are not established may cost a Relayer per day, at 1/500 of the default limits. */
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { stepGas } from '#domain/gasAllowance.ts'
import { withLimits } from '#domain/limits.ts'
import { migrate } from '../../worker/durable/migrations.ts'
import type { Env } from '../../worker/env.ts'
import type { GasPurpose } from '../../worker/relayer/api.ts'
import { relayerMigrations } from '../../worker/relayer/migrations.ts'
import { grantNewAccountGas } from '../../worker/relayer/newAccountGas.ts'
import { ok } from '../../worker/result.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { askForGas, correctGas, releaseGas, withGas } from '../../worker/treasury/limits/gas.ts'
import { takeOwnerAction } from '../../worker/treasury/limits/ownerActions.ts'
import { type Book, createBook } from '../support/book.ts'
import { toEmail } from '../support/build.ts'
import { noLimits } from '../support/limits.ts'
import { storageOf } from '../support/memoryTreasury.ts'

const { newAccountsGasPerDay, newAccountsDeployGasPerDay, newAccountsExitGasPerDay, establishedAfterUsdc } =
  withLimits()
const limits = {
  ...noLimits,
  newAccountsGasPerDay: newAccountsGasPerDay / 500,
  newAccountsDeployGasPerDay: newAccountsDeployGasPerDay / 500,
  newAccountsExitGasPerDay: newAccountsExitGasPerDay / 500,
  establishedAfterUsdc,
}
const bound = 1_500_000_000 / 500

/** One Relayer per chain, and new accounts that it pays for. */
function createService() {
  const relayers = new Map<string, SqlStorage>()
  const relayer = (name: string) => {
    const known = relayers.get(name)
    if (known) return known
    const storage = storageOf(new DatabaseSync(':memory:'))
    migrate(storage, relayerMigrations)
    relayers.set(name, storage.sql)
    return storage.sql
  }
  const books: Book[] = []
  const join = () => {
    const book = createBook({ funds: '1000', limits })
    book.context.env = {
      ...book.context.env,
      RELAYER_SHARDS: '1',
      RELAYER: {
        getByName: (name: string) => ({
          grantGas: async (gas: number, purpose: GasPurpose) =>
            grantNewAccountGas(relayer(name), gas, purpose, limits, book.clock.now),
        }),
      },
    } as unknown as Env
    books.push(book)
    return book
  }
  return {
    join,
    closeAll: () => {},
  }
}

/** What accounts made a Relayer pay, at most: each accepted step at its estimate, corrected by receipts. */
const chainId = 8453

async function pay(book: Book, isPayout: boolean): Promise<boolean> {
  const over = isPayout ? { to: toEmail() } : {}
  for (let result = book.pay(over); ; result = book.pay(over)) {
    if (!('need' in result)) return result.ok
    if (result.need === 'messageGrant') return book.pay(over, { grants: { message: true } }) !== null
    if (result.need !== 'gasGrant') throw new Error(`needs ${result.need}`)
    if (!(await askForGas(book.context, chainId, result.gas))) return false
  }
}

async function act(book: Book, step: 'deploy' | 'ownerAction' | 'exit', purpose: GasPurpose): Promise<boolean> {
  const gas = step === 'deploy' ? stepGas.deploy : stepGas.ownerAction
  const start = () => takeOwnerAction(book.context, step, chainId) ?? ok(step)
  return (await withGas(book.context, { chainId, gas, purpose }, start)).ok
}

const gasOf = ({ store }: Book) =>
  store.first<{ n: number }>(
    "SELECT sum(gas) AS n FROM gas_use WHERE principal <> 'returned' AND principal NOT LIKE 'granted %'",
  )!.n ?? 0

test('first deploys stay possible while a stranger uses up everything else @new-account-gas-1', async () => {
  const { join, closeAll } = createService()
  const strangers = [join(), join(), join()]
  for (const stranger of strangers) {
    expect(await act(stranger, 'deploy', 'firstDeploy')).toBe(true)
    while (await pay(stranger, false));
    while (await act(stranger, 'deploy', 'work'));
    while (await act(stranger, 'exit', 'exit'));
  }
  expect(await pay(join(), false), 'other work of new accounts').toBe(false)
  expect(await act(join(), 'deploy', 'firstDeploy')).toBe(true)
  closeAll()
})

test('exits of a new account have a small limit of their own @new-account-gas-2', async () => {
  const { join, closeAll } = createService()
  const book = join()
  book.context.limits = { ...limits, newAccountExitGasPerDay: withLimits().newAccountExitGasPerDay }
  let exits = 0
  while (await act(book, 'exit', 'exit')) exits += 1
  expect(exits).toBe(10)
  expect(await act(join(), 'exit', 'exit'), 'an exit of somebody else').toBe(false)
  closeAll()
})

const step = fc.record({
  who: fc.nat({ max: 5 }),
  what: fc.constantFrom('pay', 'payout', 'firstDeploy', 'deploy', 'ownerAction', 'exit', 'receipt', 'failure'),
  at: fc.nat({ max: 50 }),
})

test('no mix of payments, deploys, exits, receipts and failures costs more than the bound @new-account-gas-3', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const { join, closeAll } = createService()
      const books = Array.from({ length: 6 }, join)
      for (const { who, what, at } of steps) {
        const book = books[who]!
        const payments = book.store.all<PaymentRow>('SELECT * FROM payment')
        const payment = payments[at % Math.max(1, payments.length)]
        if (what === 'pay' || what === 'payout') await pay(book, what === 'payout')
        else if (what === 'firstDeploy') await act(book, 'deploy', 'firstDeploy')
        else if (what === 'exit') await act(book, 'exit', 'exit')
        else if (what === 'deploy' || what === 'ownerAction') await act(book, what, 'work')
        else if (what === 'receipt') payment && correctGas(book.context, payment, 'send', 64_467)
        else if (what === 'failure') payment && releaseGas(book.context, payment)
        expect(books.map(gasOf).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(bound)
      }
      closeAll()
    }),
    { numRuns: 40 },
  )
})

test('an action whose grant a parallel call takes requests another @new-account-gas-4', async () => {
  const { context } = createService().join()
  const take = () => takeOwnerAction(context, 'rotate', chainId)
  let runs = 0
  const start = () => {
    if (++runs === 2) expect(take(), 'the parallel call').toBeNull()
    return take() ?? ok('started')
  }
  expect(await withGas(context, { chainId, gas: stepGas.rotate, purpose: 'work' }, start)).toEqual(ok('started'))
  expect(runs).toBe(3)
})
