import { describe, expect, test } from 'vitest'
import { demo, seedSql } from '../../scripts/seed.ts'
import { isCommonPassword } from '../../worker/identity/commonPasswords.ts'
import { checkPassword, cost, hashPassword } from '../../worker/identity/passwords.ts'
import { anApi, env, login, seed } from './apiClient.ts'

describe('password hashes', () => {
  test('stay inside what the platform allows', () => {
    expect(2 ** cost.ln * cost.r * cost.p).toBeLessThanOrEqual(2 ** 20)
    expect(128 * 2 ** cost.ln * cost.r).toBeLessThanOrEqual(32 * 1024 * 1024)
  })

  test('are salted, and useless under another pepper', async () => {
    const [a, b] = [await hashPassword('secret', 'p1'), await hashPassword('secret', 'p1')]
    expect(a).not.toBe(b)
    expect(a).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await checkPassword('secret', a, 'p1')).toEqual({ right: true, outdated: false })
    expect((await checkPassword('secret', a, 'p2')).right).toBe(false)
    expect((await checkPassword('Secret', a, 'p1')).right).toBe(false)
  })

  test('of older parameters are replaced at the next sign-in', async () => {
    await seed()
    const { createHmac, scryptSync } = await import('node:crypto')
    const salt = Buffer.from('0123456789abcdef')
    const secret = createHmac('sha256', env.PASSWORD_PEPPER).update(demo.password).digest()
    const key = scryptSync(secret, salt, 32, { N: 2 ** 12, r: 8, p: 1 })
    const old = `$scrypt$ln=12,r=8,p=1$${salt.toString('base64').replace(/=+$/, '')}$${key.toString('base64').replace(/=+$/, '')}`
    await env.DB.prepare('UPDATE user SET password_hash = ? WHERE id = ?').bind(old, demo.userId).run()
    const api = anApi()
    const stored = () =>
      env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(demo.userId).first<string>('password_hash')
    expect((await login(api, demo.email, 'wrong')).status).toBe(401)
    expect(await stored()).toBe(old)
    expect((await login(api, demo.email, demo.password)).status).toBe(200)
    expect(await stored()).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect((await login(api, demo.email, demo.password)).status).toBe(200)
  })
})

test('the commonest passwords are known, however they are written', () => {
  for (const password of [
    '123456',
    'Password',
    'QWERTY123',
    'letmein!',
    'password123!',
    '123456!',
    'aaaaaaaa',
    'ｐａｓｓｗｏｒｄ',
  ])
    expect(isCommonPassword(password), password).toBe(true)
  for (const password of ['make-your-agents-pay', 'Tr0ub4dor&3', 'ein langer Satz'])
    expect(isCommonPassword(password), password).toBe(false)
})

test('the seed may run again without harm', async () => {
  await seed()
  await seed()
  expect(await seedSql(env)).not.toContain(demo.password)
  const { results } = await env.DB.prepare('SELECT email, status FROM user WHERE id = ? OR email = ?')
    .bind(demo.userId, demo.email)
    .all()
  expect(results).toEqual([{ email: demo.email, status: 'CONFIRMED' }])
})
