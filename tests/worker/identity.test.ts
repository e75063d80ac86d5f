import { expect, test } from 'vitest'
import { demo, seedSql } from '../../local/stack/seed.ts'
import { isCommonPassword } from '../../worker/services/passwords.ts'
import { env, seed } from './apiClient.ts'

test('common passwords are recognized in any spelling @identity-1', () => {
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

test('the seed can run twice without duplicates', async () => {
  await seed()
  await seed()
  expect(await seedSql(env)).not.toContain(demo.password)
  const { results } = await env.DB.prepare('SELECT email, status FROM user WHERE id = ? OR email = ?')
    .bind(demo.userId, demo.email)
    .all()
  expect(results).toEqual([{ email: demo.email, status: 'CONFIRMED' }])
})
