/** A rotation of the KEK that began before an account was restored. */
import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { hourMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { recordKeyUse } from '../../worker/db/keys.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createImporter, masterPassword } from '../support/importer.ts'
import { pass } from '../support/manualClock.ts'
import { manualChain, prepare, until } from '../support/payer.ts'
import { copyTables } from '../support/restoredTreasury.ts'
import { restoringOperator } from '../support/restoringOperator.ts'
import { redeploy, settingsWith } from '../support/rings.ts'
import { env } from './apiClient.ts'

beforeAll(prepare, 60_000)

const db = primaryDb(env.DB)
const from = Date.now() - hourMs

test('a KEK rotation counts a restored account as unchecked, so the key of its imported wallet stays usable @restore-25', async () => {
  const { userId, treasury, wallet, holder } = await createImporter({ on: manualChain })
  const { run, back } = await restoringOperator({ userId, treasury })
  const inTreasury = <T>(work: (treasury: Treasury) => T) => runInDurableObject(treasury(), work)
  const goBack = await inTreasury(({ context }) => copyTables(context.store))
  const both = settingsWith({ KEK: { from } })
  await redeploy(userId, both)
  const renewed = await treasury().operators().renewKeys()
  expect(renewed.unsealed).toBe(0)
  /** The cron round that checked the account before it was frozen writes last. */
  const lateRound = async () => {
    const { versions: _, ...use } = renewed
    await recordKeyUse(db, { userId, checkedAt: Date.now(), ...use })
    expect(await isChecked()).toBe(true)
  }
  const isChecked = async () =>
    (await env.DB.prepare('SELECT 1 FROM key_use WHERE user_id = ?').bind(userId).first()) !== null

  await lateRound()
  expect(await run('freeze')).toMatchObject({ step: 'frozen' })
  expect(await isChecked(), 'frozen').toBe(false)

  await lateRound()
  expect(await back(goBack)).toMatchObject({ step: 'going_back' })
  expect(await isChecked(), 'put back').toBe(false)

  await lateRound()
  expect(await run('continue')).toMatchObject({ step: 'waiting' })
  await pass(400)
  expect(await run('continue')).toMatchObject({ step: 'done' })
  expect(await isChecked(), 'restored').toBe(false)

  await until('the account is open', () =>
    treasury()
      .wallets()
      .list()
      .catch(() => null),
  )
  await redeploy(userId, both)
  expect(await treasury().operators().renewKeys()).toMatchObject({ unsealed: 0 })
  await redeploy(userId, settingsWith({ KEK: { from } }, ['KEK']))
  expect(await treasury().wallets().viewPrivateKey(wallet.id, masterPassword)).toEqual({
    ok: true,
    value: { privateKey: holder.key },
  })
})
