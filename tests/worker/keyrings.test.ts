/** Rotating the keys that seal and derive: older values stay usable, and in the end nothing needs the old version. */
import { beforeAll, expect, test } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { renewKeys } from '../../worker/ops/keys.ts'
import { sealedColumns } from '../../worker/treasury/account/keys/sealedColumns.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { usdc } from '../support/build.ts'
import { createImporter, masterPassword } from '../support/importer.ts'
import { accepted, createPayer, fresh, prepare, until } from '../support/payer.ts'
import { redeploy, redeployDesk, settingsWith } from '../support/rings.ts'
import { inTreasury } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

beforeAll(async () => {
  await prepare()
  idle = await createPayer({ funds: '0' })
})

const db = primaryDb(env.DB)
/** Every sealed value of the account, by column. */
const sealedValues = (userId: string) =>
  inTreasury(userId, ({ context: { store } }) =>
    sealedColumns.flatMap(({ table, column }) =>
      store
        .all<{ value: string }>(`SELECT ${column} AS value FROM ${table} WHERE ${column} <> ''`)
        .map(({ value }) => ({ table, version: value.slice(0, value.indexOf('.')) })),
    ),
  )
const toBob = { type: 'email', email: 'bob@example.com' } as const
/** The error that `work` throws, caught inside the object; empty if there is none. */
const failureOf = (userId: string, work: (treasury: Treasury) => Promise<unknown>) =>
  inTreasury(userId, (treasury) => work(treasury).then(() => '', String))
/** An account without money, for tests that do not pay. */
let idle: Awaited<ReturnType<typeof createPayer>>

test('a KEK rotation leaves nothing sealed under the old version, and everything still opens @keys-3', async () => {
  const payer = await createPayer()
  const importer = await createImporter()
  const users = [payer.userId, importer.userId]
  const from = Date.now() - hourMs
  expect((await sealedValues(payer.userId)).map(({ version }) => version)).toContain('v1')

  // The new version is distributed but not current yet: nothing is sealed with it.
  const distributed = settingsWith({ KEK: { from: Date.now() + hourMs } })
  await redeploy(payer.userId, distributed)
  expect(await inTreasury(payer.userId, ({ context }) => context.sealer.seal('x', 'y'))).toMatch(/^v1\./)

  const both = settingsWith({ KEK: { from } })
  for (const userId of users) await redeploy(userId, both)
  for (const userId of users)
    expect(await env.TREASURY.getByName(userId).operators().renewKeys()).toMatchObject({ unsealed: 0 })
  const values = (await Promise.all(users.map(sealedValues))).flat()
  expect(values.length).toBeGreaterThan(3)
  expect(new Set(values.map(({ version }) => version))).toEqual(new Set(['v2']))

  // The old version is removed.
  const later = settingsWith({ KEK: { from } }, ['KEK'])
  for (const userId of users) await redeploy(userId, later)
  const paid = await accepted(payer, { to: { type: 'address', address: fresh('after') } })
  expect((await payer.final(paid.id)).status).toBe('CONFIRMED')
  const seen = await importer.treasury().wallets().viewPrivateKey(importer.wallet.id, masterPassword)
  expect(seen).toEqual({ ok: true, value: { privateKey: importer.holder.key } })
})

test('the list of sealed columns has every Treasury column that holds sealed values @keys-4', async () => {
  const { userId } = idle
  const columns = await inTreasury(userId, ({ context: { store } }) =>
    store
      .all<{ table: string; column: string }>(
        `SELECT sqlite_master.name AS "table", info.name AS "column" FROM sqlite_master
         JOIN pragma_table_info(sqlite_master.name) AS info
         WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT GLOB '_cf_*' AND sqlite_master.name NOT GLOB 'sqlite_*'`,
      )
      .filter(
        ({ table, column }) =>
          column.includes('sealed') ||
          store.first(`SELECT 1 FROM ${table} WHERE ${column} GLOB 'v[1-9]*.*.*'`) !== null,
      ),
  )
  const named = (list: readonly { table: string; column: string }[]) =>
    list.map(({ table, column }) => `${table}.${column}`).sort()
  expect(named(columns)).toEqual(named(sealedColumns))
})

test('resealing can be interrupted anywhere, and does not overwrite a value that changed meanwhile @keys-5', async () => {
  const { userId, treasury } = await createPayer({ funds: '0' })
  await redeploy(userId, settingsWith({ KEK: { from: Date.now() - hourMs } }))
  const seal = await inTreasury(userId, async ({ context }) => {
    // Dies after the first value, which changes while it is being resealed.
    const { sealer, store } = context
    const newer = await sealer.seal('newer', 'binding')
    let calls = 0
    context.sealer = {
      open: async (value: string, binding: string) => {
        const plain = await sealer.open(value, binding)
        if (++calls === 1) store.run('UPDATE wallet SET sealed_key = ?', newer)
        else throw new Error('killed')
        return plain
      },
      seal: (plain: string, binding: string) => sealer.seal(plain, binding),
    } as typeof sealer
    return { sealer, newer }
  })
  expect(await failureOf(userId, (one) => one.operators().renewKeys())).toContain('killed')
  expect(await inTreasury(userId, ({ context: { store } }) => store.first('SELECT sealed_key FROM wallet'))).toEqual({
    sealed_key: seal.newer,
  })
  await inTreasury(userId, ({ context }) => {
    context.sealer = seal.sealer
  })
  expect(await treasury().operators().renewKeys()).toMatchObject({ unsealed: 0 })
})

test('open payouts keep their payout secret and code pepper; new payouts use the new versions @keys-6', async () => {
  const payer = await createPayer({ scopes: ['email_payments:write'] })
  const create = async () => {
    const { id } = await accepted(payer, { to: toBob, amount: usdc('2') })
    await until('created', () =>
      inTreasury(payer.userId, ({ context: { store } }) => store.payout(id)!.status === 'CREATED'),
    )
    return id
  }
  const code = (id: string) =>
    inTreasury(payer.userId, async ({ context }) => {
      const { openCode } = await import('../../worker/treasury/payments/payouts/codes.ts')
      return (await openCode(context, context.store.payout(id)!))!
    })
  const versions = (id: string) =>
    inTreasury(payer.userId, ({ context: { store } }) => {
      const { secret_version, code_hmac } = store.payout(id)!
      return [secret_version, code_hmac!.split('.')[0]]
    })
  const claim = async (id: string, passcode: string) => {
    const tokenHash = await inTreasury(payer.userId, ({ context: { store } }) => store.payout(id)!.token_hash)
    return env.CLAIM_DESK.getByName(id).claim(tokenHash, { passcode, to: fresh('bob') })
  }

  const before = await create()
  expect(await versions(before)).toEqual([1, '1'])
  const from = Date.now() - hourMs
  const both = settingsWith({ PAYOUT_SECRET: { from }, CODE_PEPPER: { from } })
  await redeploy(payer.userId, both)
  const after = await create()
  expect(await versions(after)).toEqual([2, '2'])
  for (const id of [before, after]) await redeployDesk(id, both)
  const use = await payer.treasury().operators().renewKeys()
  expect(use.payoutUntil).toBeGreaterThan(Date.now())
  expect(use.codeUntil).toBe(use.payoutUntil)

  // Another secret under the same version signs nothing.
  const wrong = settingsWith({ PAYOUT_SECRET: { from, secret: 'cd'.repeat(32) }, CODE_PEPPER: { from } })
  await redeploy(payer.userId, wrong)
  const stolen = { payoutId: after, codeVersion: 1, to: fresh('thief') }
  expect(await payer.treasury().claim(stolen)).toMatchObject({
    ok: false,
    message: expect.stringContaining('lacks the secret'),
  })
  await redeploy(payer.userId, both)

  for (const id of [before, after]) expect(await claim(id, await code(id))).toMatchObject({ ok: true })
  for (const id of [before, after])
    await until('claimed', () =>
      inTreasury(payer.userId, ({ context: { store } }) => store.payout(id)!.status === 'WITHDRAWN'),
    )
  expect(await payer.treasury().operators().renewKeys()).toMatchObject({ payoutUntil: null, codeUntil: null })
  await payer.booksBalance()
})

test('the cron renews each account once per rotation, and does not count an account that lacks the new version @keys-7', async () => {
  const { userId } = idle
  await env.DB.prepare('DELETE FROM user').run()
  await env.DB.prepare(
    `INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?, 'keys@example.com', 'CONFIRMED', 'none', 1, 1)`,
  )
    .bind(userId)
    .run()
  const now = Date.now()
  const checked = () =>
    env.DB.prepare('SELECT unsealed FROM key_use WHERE user_id = ? AND failure IS NULL')
      .bind(userId)
      .first<number>('unsealed')
  expect(await renewKeys(env, db, now)).toBe(0)
  const settings = settingsWith({ KEK: { from: now - hourMs } })
  expect(await renewKeys(settingsWith({ KEK: { from: now - 1_000 } }), db, now), 'one minute later').toBe(0)
  expect(await renewKeys(settings, db, now)).toBe(1)
  expect(await checked(), 'it runs with the old settings').toBeNull()
  await redeploy(userId, settings)
  expect(await renewKeys(settings, db, now), 'not retried immediately').toBe(0)
  expect(await renewKeys(settings, db, now + minuteMs)).toBe(1)
  expect(await checked()).toBe(0)
  expect(await renewKeys(settings, db, now + 120_000)).toBe(0)
})
