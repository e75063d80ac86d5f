/** What keeps an older key version from being removed: accounts that could not be checked, and payouts that stay open. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { Deps } from '../../worker/appEnv.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { recordKeyUse } from '../../worker/db/keys.ts'
import { keyringStates, renewKeys } from '../../worker/ops/keys.ts'
import { restoreUser } from '../../worker/ops/restoreUser.ts'
import type { KeyUse } from '../../worker/treasury/account/keys/rpcTypes.ts'
import { usdc } from '../support/build.ts'
import { accepted, createPayer, prepare, until } from '../support/payer.ts'
import { redeploy, settingsWith } from '../support/rings.ts'
import { inTreasury } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

beforeAll(async () => {
  await prepare()
  // Revokes the signup passcodes of other files, which need the first code pepper.
  await env.DB.prepare('UPDATE signup_passcode SET revoked_at = 1 WHERE revoked_at IS NULL').run()
})
afterAll(() => env.DB.prepare('UPDATE signup_passcode SET revoked_at = NULL WHERE revoked_at = 1').run())
beforeEach(async () => {
  await env.DB.batch(['user', 'key_use', 'user_restore'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

const db = primaryDb(env.DB)
const rings = ['PAYOUT_SECRET', 'CODE_PEPPER', 'KEK'] as const

const addUser = (userId: string) =>
  env.DB.prepare(
    "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?1, ?1 || '@example.com', 'CONFIRMED', 'none', 1, 1)",
  )
    .bind(userId)
    .run()

/** For each ring: what still needs its first version, and when that version can be removed. */
async function needed(settings: typeof env, now: number) {
  const states = await keyringStates({ env: settings, db, now: () => now } as unknown as Deps)
  const of = (name: string) => {
    const { remaining, removableFrom } = states.find((one) => one.name === name)!
    return { remaining, removableFrom }
  }
  return {
    KEK: of('KEK'),
    PAYOUT_SECRET: of('PAYOUT_SECRET'),
    CODE_PEPPER: of('CODE_PEPPER'),
    ID_SECRET: of('ID_SECRET'),
  }
}

const start = Date.UTC(2026, 10, 20)
/** Long ago, so that no login session needs the first code pepper. */
const from = start - 60 * dayMs
const nothing: KeyUse = {
  unsealed: 0,
  payouts: 0,
  payoutUntil: null,
  payoutIds: [],
  codes: 0,
  codeUntil: null,
  codeIds: [],
  credentials: 0,
  versions: { KEK: 2, PAYOUT_SECRET: 2, CODE_PEPPER: 2, ID_SECRET: 2 },
}

/** A deployment with a second version of each ring. `replies` has the reply of each account's Treasury. */
async function createDeployment(replies: Record<string, () => KeyUse>) {
  for (const userId of Object.keys(replies)) await addUser(userId)
  const settings = {
    ...settingsWith({ KEK: { from }, PAYOUT_SECRET: { from }, CODE_PEPPER: { from }, ID_SECRET: { from } }),
    TREASURY: {
      getByName: (userId: string) => ({
        operators: () => ({ renewKeys: async () => replies[userId]!(), [Symbol.dispose]() {} }),
      }),
    },
  } as unknown as typeof env
  return {
    replies,
    renew: (now: number) => renewKeys(settings, db, now),
    needed: (now: number) => needed(settings, now),
  }
}

const failing = (message: string) => () => {
  throw new Error(message)
}
const payoutsUntil = (at: number, n: number, ids: string[]): KeyUse => ({
  ...nothing,
  payouts: n,
  payoutUntil: at,
  payoutIds: ids,
  codes: n,
  codeUntil: at,
  codeIds: ids,
})

test('a frozen account keeps each older key version until its object is checked again @keys-17', async () => {
  const payer = await createPayer({ scopes: ['email_payments:write'] })
  const { userId } = payer
  await addUser(userId)
  const { id } = await accepted(payer, { to: { type: 'email', email: 'bob@example.com' }, amount: usdc('2') })
  await until('created', () => inTreasury(payer, ({ context: { store } }) => store.payout(id)!.status === 'CREATED'))
  const second = { from: Date.now() - 60 * dayMs }
  const settings = settingsWith({ KEK: second, PAYOUT_SECRET: second, CODE_PEPPER: second })
  await redeploy(userId, settings)
  const use = await payer.treasury().operators().renewKeys()
  expect(use).toMatchObject({ payouts: 1, payoutIds: [id], codes: 1, codeIds: [id] })
  const now = Date.now()
  await renewKeys(settings, db, now)
  const isOpen = { remaining: [expect.stringMatching(/^1 open payouts, the last of which expires at 20/)] }
  expect(await needed(settings, now)).toMatchObject({ PAYOUT_SECRET: isOpen, CODE_PEPPER: isOpen })

  const deps = { env: settings, db, now: () => now } as unknown as Deps
  const run = (act: 'freeze' | 'unfreeze') =>
    restoreUser(deps, { actor: 'ann@example.com', reason: 'test' }, userId, {
      act,
      lost: false,
      again: false,
    })
  expect(await run('freeze')).toMatchObject({ state: 'frozen' })
  const isFrozen = {
    remaining: expect.arrayContaining([`1 of 1 accounts could not be checked: ${userId} (account_restoring)`]),
    removableFrom: null,
  }
  for (const passed of [minuteMs, 2 * minuteMs]) {
    await renewKeys(settings, db, now + passed)
    const states = await needed(settings, now + passed)
    for (const ring of rings) expect(states[ring], ring).toMatchObject(isFrozen)
  }
  // A cron round that asked before the freeze writes last.
  await recordKeyUse(db, { userId, checkedAt: now + 2 * minuteMs, ...use, payoutUntil: null, codeUntil: null })
  const after = await needed(settings, now + 2 * minuteMs)
  for (const ring of rings) expect(after[ring], ring).toMatchObject(isFrozen)

  // Once open, the account is asked again.
  await env.DB.prepare('DELETE FROM key_use').run()
  expect(await run('unfreeze')).toMatchObject({ state: 'open' })
  await until('the account is open', () => payer.ledger().catch(() => null))
  await redeploy(userId, settings)
  await renewKeys(settings, db, now + 3 * minuteMs)
  expect(await needed(settings, now + 3 * minuteMs)).toMatchObject({ PAYOUT_SECRET: isOpen, CODE_PEPPER: isOpen })
})

test('an account that fails keeps its last known key use, counts as unchecked, and is named with the reason @keys-18', async () => {
  const expiresAt = start + hourMs
  const { replies, renew, needed } = await createDeployment({
    usr_a: () => payoutsUntil(expiresAt, 1, ['pay_1']),
    usr_b: failing('schema_not_usable: the database needs newer code'),
    usr_c: () => nothing,
  })
  await renew(start)
  let states = await needed(start)
  for (const ring of rings) {
    expect(states[ring].removableFrom, ring).toBeNull()
    expect(states[ring].remaining[0]).toBe('1 of 3 accounts could not be checked: usr_b (service_updating)')
  }

  // The payout has expired and its object fails, so it is unknown whether the payout has ended.
  replies.usr_a = failing('a sealed value does not open')
  replies.usr_b = () => nothing
  const late = expiresAt + 2 * dayMs
  await renew(late)
  states = await needed(late)
  for (const ring of rings) {
    expect(states[ring].removableFrom, ring).toBeNull()
    expect(states[ring].remaining[0]).toBe('1 of 3 accounts could not be checked: usr_a (internal)')
  }
  expect(states.PAYOUT_SECRET.remaining[1]).toContain('pay_1 of usr_a')

  replies.usr_a = () => nothing
  await renew(late + minuteMs)
  const end = { remaining: [], removableFrom: new Date(late + minuteMs).toISOString() }
  expect(await needed(late + minuteMs)).toMatchObject({ PAYOUT_SECRET: end, CODE_PEPPER: end })
})

test('links keep an older version of the id secret for 91 days @keys-22', async () => {
  const settings = settingsWith({ ID_SECRET: { from: start } })
  const stateAt = async (now: number) => {
    const states = await keyringStates({ env: settings, db, now: () => now } as unknown as Deps)
    const { remaining, removableFrom } = states.find(({ name }) => name === 'ID_SECRET')!
    return { remaining, removableFrom }
  }
  const end = new Date(start + 91 * dayMs).toISOString()
  expect(await stateAt(start + dayMs)).toEqual({ remaining: [`links of payouts until ${end}`], removableFrom: end })
  expect(await stateAt(start + 91 * dayMs)).toEqual({ remaining: [], removableFrom: end })
})

test('accounts that fail do not block the others, and renewing until nothing is due terminates @keys-19', async () => {
  const older = () => ({ ...nothing, versions: { ...nothing.versions, KEK: 1 } })
  const replies: Record<string, () => KeyUse> = { usr_z: () => nothing }
  for (let i = 10; i < 70; i++) replies[`usr_${i}`] = i === 10 ? failing('broken') : older
  const { renew, needed } = await createDeployment(replies)
  expect([await renew(start), await renew(start), await renew(start)]).toEqual([50, 11, 0])
  const { remaining, removableFrom } = (await needed(start)).PAYOUT_SECRET
  expect(removableFrom).toBeNull()
  const named = 'usr_10 (internal), usr_11 (service_updating)'
  expect(remaining).toEqual([expect.stringContaining(`60 of 61 accounts could not be checked: ${named}, `)])
  expect(remaining[0]).toMatch(/, 50 more$/)
  expect([await renew(start + minuteMs), await renew(start + minuteMs), await renew(start + minuteMs)]).toEqual([
    50, 10, 0,
  ])
})

test('a payout that is still open a day after its expiry is named, and its key version has no removal date @keys-20', async () => {
  const expiresAt = start + hourMs
  const { replies, renew, needed } = await createDeployment({
    usr_a: () => payoutsUntil(expiresAt, 1, ['pay_1']),
    usr_b: () => payoutsUntil(expiresAt - minuteMs, 12, ['pay_2', 'pay_3']),
  })
  await renew(start)
  const date = new Date(expiresAt + dayMs).toISOString()
  const expected = `13 open payouts, the last of which expires at ${new Date(expiresAt).toISOString()}`
  expect((await needed(expiresAt + dayMs - 1)).PAYOUT_SECRET).toEqual({ remaining: [expected], removableFrom: date })

  await renew(expiresAt + dayMs)
  const states = await needed(expiresAt + dayMs)
  for (const ring of ['PAYOUT_SECRET', 'CODE_PEPPER'] as const)
    expect(states[ring], ring).toEqual({
      remaining: [
        `13 open payouts, the last of which expired at ${new Date(expiresAt).toISOString()}: pay_2 of usr_b, pay_3 of usr_b, pay_1 of usr_a, 10 more`,
      ],
      removableFrom: null,
    })

  replies.usr_a = replies.usr_b = () => nothing
  const later = expiresAt + dayMs + 2 * hourMs
  await renew(later)
  expect((await needed(later)).PAYOUT_SECRET).toEqual({ remaining: [], removableFrom: new Date(later).toISOString() })
})

test('an older secret of ids is needed until owners have replaced their API keys and client secrets @keys-23', async () => {
  const payer = await createPayer()
  await addUser(payer.userId)
  const second = { from: Date.now() }
  const settings = settingsWith({ ID_SECRET: second })
  await redeploy(payer.userId, settings)
  const check = async (at: number) => {
    await renewKeys(settings, db, at)
    return (await needed(settings, at)).ID_SECRET
  }
  // The links of payouts made before end by themselves.
  const later = second.from + 100 * dayMs
  const what = '2 API keys and client secrets, until their owners replace them'
  expect(await check(later)).toEqual({ remaining: [what], removableFrom: null })
  for (const kind of ['api_key', 'secret'] as const)
    await payer
      .treasury()
      .policies()
      .replaceCredential(`agt_${payer.userId}_0`, { kind, hash: kind, endsAt: second.from })
  expect(await check(later + hourMs + 1)).toMatchObject({ remaining: [] })
})
