import { request } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { createFundedWallet, createPayout, createTestStack, signIn } from '../support/testStack.ts'

const stack = await createTestStack()
afterAll(() => stack.stop())

const get = (path: string) => fetch(`${stack.url}${path}`, { headers: { accept: 'text/html' } })

test('one port serves the pages, deep links and the API', async () => {
  for (const path of ['/', '/login', '/dashboard/wallets', '/claim/anything']) {
    const page = await get(path)
    expect(page.status, path).toBe(200)
    expect(await page.text(), path).toContain('<div id="root">')
  }
  expect((await get('/api/health')).headers.get('content-type')).toContain('application/json')
  for (const path of ['/api/nothing', '/v1/nothing', '/oauth/nothing', '/.well-known/nothing', '/dev/nothing'])
    expect((await get(path)).status, path).not.toBe(200)
})

test('the stack answers at localhost and 127.0.0.1, and under no other name @hosting-7', async () => {
  const statusFor = async (url: string, headers = {}) => {
    const { statusCode, body } = await request(`${url}/api/health`, { headers })
    await body.dump()
    return statusCode
  }
  expect(await statusFor(stack.url)).toBe(200)
  expect(await statusFor(stack.url.replace('localhost', '127.0.0.1'))).toBe(200)
  expect(await statusFor(stack.url, { host: 'bursar.example' })).toBe(421)
})

test('the cron watchdog responds', async () => {
  expect((await get('/cdn-cgi/local/scheduled')).status).toBe(200)
})

test('a killed Worker restarts with all its state', async () => {
  const token = await signIn(stack.bursar)
  const wallet = await createFundedWallet(stack.bursar, token)
  const { accessToken } = await createPayout(stack.bursar, token, wallet.id)
  const before = stack.workerdPid()
  await stack.killWorker()
  await expect(fetch(stack.url)).rejects.toThrow()
  await stack.restartWorker()
  expect(stack.workerdPid()).not.toBe(before)
  const page = await stack.bursar.api<{ status: string; amount: string }>(`/escrow/claim/${accessToken}`)
  expect(page).toMatchObject({ status: 'CREATED', amount: '5' })
  const books = await stack.bursar.api<{ available: string }>(`/wallets/${wallet.id}/ledger`, { token })
  expect(books.available).toBe('195')
})
