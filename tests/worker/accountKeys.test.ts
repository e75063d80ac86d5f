/** Rotating the account peppers, and the readiness checks of keyrings. */
import { beforeAll, expect, test } from 'vitest'
import { hourMs, minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { removed } from '../../worker/keyrings/keyring.ts'
import { renewKeys } from '../../worker/ops/keys.ts'
import { keyringProblems } from '../../worker/readiness/readiness.ts'
import { emptyRings, keyrings } from '../../worker/readiness/settingRules.ts'
import { keyringsWith, settingsWith } from '../support/rings.ts'
import { createApi, createUser, env, login, newEmail, passcode, seed } from './apiClient.ts'

beforeAll(seed)

const from = Date.UTC(2026, 10, 20)
const rotated = { KEYRINGS: keyringsWith({ CODE_PEPPER: { from }, PASSWORD_PEPPER: { from } }) }
const stored = (email: string) =>
  env.DB.prepare('SELECT password_hash FROM user WHERE email = ?').bind(email).first<string>('password_hash')

test('a password is rehashed under the new pepper at the next sign-in @keys-8', async () => {
  const { email, password } = await createUser(createApi())
  expect(await stored(email)).not.toContain('keyid')
  const api = createApi(rotated)
  expect((await login(api, email, 'wrong')).status).toBe(401)
  expect((await login(api, email, password)).status).toBe(200)
  expect(await stored(email)).toMatch(/^\$scrypt\$ln=\d+,r=\d,p=\d,keyid=2\$/)
  // With the old version removed, a password that was never rehashed is no longer accepted.
  const dormant = await createUser(createApi())
  const after = createApi({ ...rotated, PASSWORD_PEPPER: removed })
  expect((await login(after, email, password)).status).toBe(200)
  expect((await login(after, dormant.email, dormant.password)).status).toBe(401)
})

test('codes, passcodes and refresh tokens from before a change of the code pepper still work @keys-9', async () => {
  const before = createApi()
  const { refreshToken } = await createUser(before)
  const email = newEmail()
  const signup = (api: typeof before, to: string) =>
    api.call('POST', '/api/users', { body: { email: to, name: 'Ann', signupPasscode: passcode } })
  const api = createApi(rotated)
  expect((await signup(api, email)).status).toBe(201)
  expect((await api.call('POST', '/api/auth/cognito/refresh', { body: { refreshToken } })).status).toBe(200)

  await before.call('POST', '/api/auth/cognito/forgot-password', { body: { email } })
  const mails = await env.DB.prepare('SELECT text FROM dev_inbox WHERE recipient = ? ORDER BY at DESC, rowid DESC')
    .bind(email)
    .all<{ text: string }>()
  const code = mails.results.map(({ text }) => /^\d{6}$/m.exec(text)?.[0]).find(Boolean)
  const reset = await api.call('POST', '/api/auth/cognito/reset-password', {
    body: { email, code, newPassword: 'a new password' },
  })
  expect(reset.status, reset.text).toBe(200)
})

test('the Worker refuses keyrings with an altered, malformed or missing secret @keys-1', () => {
  const wrong = JSON.parse(keyringsWith({ KEK: { from } })) as { KEK: { secret: string }[] }
  expect(keyrings(JSON.stringify(wrong))).toBeNull()
  wrong.KEK[0]!.secret = wrong.KEK[0]!.secret.replace('a', 'b')
  expect(keyrings(JSON.stringify(wrong))).toBe('KEK version 2 is not the secret that was made')
  expect(keyrings('{')).toBe('is not JSON')
  expect(keyrings('{"KEYS":[]}')).toBe('has an unknown ring KEYS')
  expect(keyrings(keyringsWith({ KEK: { from, version: 1 } }))).toBe('KEK has a malformed version')
  expect(emptyRings({ ...env, KEK_V1: removed })).toEqual([{ name: 'KEK_V1', problem: 'is missing', fatal: true }])
  expect(emptyRings(settingsWith({ KEK: { from } }, ['KEK']))).toEqual([])
  const future = { from: Date.now() + minuteMs }
  expect(emptyRings(settingsWith({ KEK: future }, ['KEK'])), 'it is not current yet').toHaveLength(1)
})

test('the deployment is not ready if a version in use has a different secret @keys-2', async () => {
  const db = primaryDb(env.DB)
  await env.DB.prepare('DELETE FROM key_version').run()
  const settings = settingsWith({ RELAYER_SEED: { from: Date.now() + hourMs } })
  await renewKeys(settings, db, Date.now())
  expect(await keyringProblems(settings, db)).toEqual([])
  expect(await keyringProblems({ ...settings, KEK_V1: '99'.repeat(32) }, db)).toEqual([
    'KEK version 1 is not the secret that was used before',
  ])
  const other = settingsWith({ RELAYER_SEED: { from: Date.now(), secret: '98'.repeat(32) } })
  expect(await keyringProblems(other, db)).toEqual(['RELAYER_SEED version 2 is not the secret that was used before'])
})
