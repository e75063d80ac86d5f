/** Operators' actions on an account, killed after one effect, then two, and so on, and repeated each time. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import type { UserRestoreReply } from '#schemas/ops.ts'
import type { Deps } from '../../worker/appEnv.ts'
import { type RestoreInput, restoreUser } from '../../worker/backup/restoreUser.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { openRestore } from '../../worker/db/userRestores.ts'
import { endedRestore, restoreState } from '../../worker/treasury/restore/state.ts'
import { Store } from '../../worker/treasury/storage/store.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { syncHistory } from '../support/histories.ts'
import { becomes, pass } from '../support/manualClock.ts'
import { type Life, makeImmortal, makeMortal, mortalDb, mortalObjects } from '../support/mortal.ts'
import { accepted, createPayer, fresh, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { copyTables, frozenAtRelayers, pastTheGate } from '../support/restoredTreasury.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const inTreasury = <T>(payer: Payer, work: (treasury: Treasury) => T) => runInDurableObject(payer.treasury(), work)

async function createMortalAccount() {
  const payer = await createPayer({ on: manualChain })
  const { userId } = payer
  await env.DB.prepare(
    "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'CONFIRMED', 'none', 1, 1)",
  )
    .bind(userId)
    .run()
  const life: Life = { left: Number.POSITIVE_INFINITY }
  const spend = () => {
    life.left -= 1
    if (life.left === 0) throw new Error('killed')
  }
  const bindings = { ...env, TREASURY: mortalObjects(env.TREASURY, spend) }
  const deps = { env: bindings, db: mortalDb(spend), now: Date.now } as unknown as Deps
  const run = (act: RestoreInput['act'], over: Partial<RestoreInput> = {}) =>
    restoreUser(deps, { actor: 'ann@example.com', reason: 'test' }, userId, {
      act,
      dryRun: false,
      unsent: false,
      again: false,
      ...over,
    })
  /** Repeats `act` until it is not killed. Calls `killed` after each kill. */
  async function untilAlive(
    act: () => Promise<UserRestoreReply | 'ended'>,
    killed: () => Promise<unknown> = async () => {},
  ) {
    for (let kills = 0; ; kills++) {
      await makeMortal(payer, life)
      life.left = kills + 1
      const reply = await act().catch((error: Error) => {
        expect(life.left, error.message).toBeLessThanOrEqual(0)
      })
      const isAlive = life.left > 0
      life.left = Number.POSITIVE_INFINITY
      await makeImmortal(payer)
      if (reply && isAlive) return { reply, kills }
      await killed()
    }
  }
  const open = () => openRestore(primaryDb(env.DB), userId)
  /** The reply is 'ended' if `act` was killed after its last effect and has nothing left to do. */
  const untilEnded = (act: RestoreInput['act'], killed: () => Promise<unknown>) =>
    untilAlive(
      async () => ((await open()) ? run(act) : 'ended'),
      async () => (await open()) && killed(),
    )
  const stateOf = () =>
    inTreasury(payer, (treasury) => {
      const { store } = pastTheGate(treasury)
      return { stage: restoreState(store)?.stage ?? null, ended: endedRestore(store) }
    })
  const isOpen = () =>
    payer
      .treasury()
      .policies()
      .groups()
      .then(() => true)
      .catch(() => false)
  return { payer, run, untilAlive, stateOf, isOpen, open, untilEnded }
}

/** Replaces the platform's recovery: the object that is loaded next is the earlier one, even if the command is killed. */
const standIn = (payer: Payer, putBack: (store: Store) => void) =>
  runInDurableObject(payer.treasury(), (treasury: Treasury, { storage }) => {
    treasury.snapshots = () => ({
      async goBack() {
        putBack(new Store(storage, () => {}))
        await storage.sync()
      },
    })
  })

const earlier = () => ({ to: new Date(Date.now() - minuteMs).toISOString() })
const payment = () => ({ to: { type: 'address' as const, address: fresh('killed') } })

test('freezing and unfreezing, killed after each effect and repeated, leave the account as it was @restore-33', async () => {
  const { payer, run, untilAlive, stateOf, isOpen, open, untilEnded } = await createMortalAccount()
  const before = await accepted(payer, payment())
  await accepted(payer, { to: { type: 'email', email: 'frozen@example.com' } })

  const frozen = await untilAlive(() => run('freeze'))
  expect(frozen.kills).toBeGreaterThan(10)
  expect(frozen.reply).toMatchObject({ doing: expect.stringContaining('History has everything') })
  expect(await stateOf()).toMatchObject({ stage: 'frozen' })
  expect(await frozenAtRelayers(payer.treasury())).toEqual([true, true])
  expect(await isOpen()).toBe(false)
  const { id } = (await open())!

  let isAgain = false
  const opened = await untilEnded('unfreeze', async () => {
    if (await isOpen()) expect(await frozenAtRelayers(payer.treasury()), 'open').toEqual([false, false])
    const { ended } = await stateOf()
    // The operator checks the progress, or freezes the account again.
    await run('continue', { dryRun: true })
    if (ended !== id || isAgain) return
    isAgain = true
    expect(await run('freeze')).toMatchObject({
      step: 'frozen',
      doing: expect.stringContaining('History has everything'),
    })
    expect((await open())!.id).not.toBe(id)
    expect(await isOpen()).toBe(false)
  })
  expect(opened.kills).toBeGreaterThan(5)
  expect(isAgain).toBe(true)
  await until('open', isOpen, 5_000)
  expect(await open()).toBeNull()
  expect(await frozenAtRelayers(payer.treasury())).toEqual([false, false])
  await becomes(payer, before.id, 'CONFIRMED')
  await becomes(payer, (await accepted(payer, payment())).id, 'CONFIRMED')
  await payer.booksBalance()
}, 60_000)

test('going back and opening, killed after each effect and repeated, lose no payment @restore-34', async () => {
  const { payer, run, untilAlive, stateOf, isOpen, open, untilEnded } = await createMortalAccount()
  // The state that it goes back to has nothing left to send.
  await syncHistory(payer)
  const putBack = await inTreasury(payer, ({ context }) => copyTables(context.store))
  const paid = await accepted(payer, payment())
  await becomes(payer, paid.id, 'CONFIRMED')
  const books = await payer.booksBalance()
  expect((await run('freeze')).doing).toContain('History has everything')
  const { id } = (await open())!

  const back = await untilAlive(
    async () => {
      await standIn(payer, putBack)
      return run('back', earlier())
    },
    async () => {
      if ((await stateOf()).stage === 'frozen') return
      await expect(run('unfreeze')).rejects.toThrow('only `continue` opens the account')
      expect(await isOpen()).toBe(false)
    },
  )
  expect(back.kills).toBeGreaterThan(3)

  const input = { id, startedAt: Date.now(), frozenAt: Date.now(), accept: null }
  while ((await stateOf()).stage !== 'end')
    if ((await payer.treasury().restore().continue(input)).step === 'waiting') await pass(400)
  const opened = await untilEnded('continue', async () => {
    if (await isOpen()) expect(await frozenAtRelayers(payer.treasury()), 'open').toEqual([false, false])
    await run('continue', { dryRun: true })
  })
  expect(opened.kills).toBeGreaterThan(5)
  await until('open', isOpen, 5_000)
  expect(await open()).toBeNull()
  expect(await payer.booksBalance()).toMatchObject({ out: books.out, available: books.available })
}, 60_000)

test('an object that was put back refuses reads before any alarm or payment @restore-35', async () => {
  const { payer, run, isOpen, stateOf } = await createMortalAccount()
  const putBack = await inTreasury(payer, ({ context }) => copyTables(context.store))
  await run('freeze')
  await standIn(payer, putBack)
  expect(await run('back', earlier())).toMatchObject({ step: 'going_back' })
  expect(await isOpen()).toBe(false)
  expect(await stateOf()).toMatchObject({ stage: 'found' })
})
