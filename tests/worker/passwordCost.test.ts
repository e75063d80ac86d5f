/** Tests that need the production cost of password hashes. Other tests hash at a lower cost. */
import { beforeAll, describe, expect, test } from 'vitest'
import { minuteMs } from '#domain/time.ts'
import { demo } from '../../local/stack/seed.ts'
import { checkPassword, cost, hashPassword } from '../../worker/identity/passwords.ts'
import { Keyring } from '../../worker/keyrings/keyring.ts'
import { type Api, createApi, createUser, env, login, newEmail, seed } from './apiClient.ts'

beforeAll(seed)

describe('password hashes', () => {
  test('password hashes stay within the platform’s limits', () => {
    expect(2 ** cost.ln * cost.r * cost.p).toBeLessThanOrEqual(2 ** 20)
    expect(128 * 2 ** cost.ln * cost.r).toBeLessThanOrEqual(32 * 1024 * 1024)
  })

  test('password hashes are salted, and do not verify with another pepper', async () => {
    const ring = (secret: string) => new Keyring('PASSWORD_PEPPER', [{ version: 1, secret, from: 0 }])
    const [a, b] = [await hashPassword('secret', 'p1'), await hashPassword('secret', 'p1')]
    expect(a).not.toBe(b)
    expect(a).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await checkPassword('secret', a, ring('p1'), 0)).toEqual({ isRight: true, isOutdated: false })
    expect((await checkPassword('secret', a, ring('p2'), 0)).isRight).toBe(false)
    expect((await checkPassword('Secret', a, ring('p1'), 0)).isRight).toBe(false)
  })

  test('password hashes with older parameters are replaced at the next sign-in', async () => {
    const { createHmac, scryptSync } = await import('node:crypto')
    const salt = Buffer.from('0123456789abcdef')
    const secret = createHmac('sha256', env.PASSWORD_PEPPER).update(demo.password).digest()
    const key = scryptSync(secret, salt, 32, { N: 2 ** 12, r: 8, p: 1 })
    const old = `$scrypt$ln=12,r=8,p=1$${salt.toString('base64').replace(/=+$/, '')}$${key.toString('base64').replace(/=+$/, '')}`
    await env.DB.prepare('UPDATE user SET password_hash = ? WHERE id = ?').bind(old, demo.userId).run()
    const api = createApi()
    const stored = () =>
      env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(demo.userId).first<string>('password_hash')
    expect((await login(api, demo.email, 'wrong')).status).toBe(401)
    expect(await stored()).toBe(old)
    expect((await login(api, demo.email, demo.password)).status).toBe(200)
    expect(await stored()).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect((await login(api, demo.email, demo.password)).status).toBe(200)
  })
})

test('signing in and signing up take as long for unknown emails as for known ones @sign-in-abuse-3', async () => {
  const api = createApi()
  const { email } = await createUser(api)
  const signup = (to: string) =>
    api.call('POST', '/api/auth/cognito/signup', { body: { email: to, password: 'long enough', name: 'Ann' } })
  await withinFactor(
    3,
    () => login(api, email, 'wrong'),
    () => login(api, newEmail(), 'wrong'),
    api,
  )
  await withinFactor(
    3,
    () => signup(email),
    () => signup(newEmail()),
    api,
  )
})

/** Compares the medians of seven calls. Without equal work they differ by a factor of ten or more. */
async function withinFactor(factor: number, one: () => Promise<unknown>, other: () => Promise<unknown>, api: Api) {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < 7; i++) {
    for (const [which, call] of [one, other].entries()) {
      const startedAt = performance.now()
      await call()
      times[which]!.push(performance.now() - startedAt)
    }
    api.clock.now += 20 * minuteMs
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[3]!
  const ratio = median(times[0]) / median(times[1])
  expect(ratio).toBeGreaterThan(1 / factor)
  expect(ratio).toBeLessThan(factor)
}

test('hashes take turns, and others have the thread after each @safety-22', async () => {
  const turns: string[] = []
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      await scheduler.wait(5)
      if (turns.at(-1) !== 'other') turns.push('other')
    }
  })()
  await Promise.all(Array.from({ length: 3 }, () => hashPassword('secret', 'pepper').then(() => turns.push('hash'))))
  isOver = true
  await others
  expect(turns.join(' ')).toMatch(/hash other hash other hash/)
})
