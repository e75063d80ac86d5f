import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { messageProviderFrom } from '../../worker/notifications/messageProvider.ts'
import { within } from '../support/patience.ts'
import { createApi, env, seed, signedUp } from './apiClient.ts'

beforeAll(seed)

const local: Partial<Env> = { ENVIRONMENT: 'local' }
const address = `0x${'de'.repeat(20)}`
const faucet = (body: unknown) => createApi().call('POST', '/dev/faucet', { body, env: local })

/** Waits up to 10 seconds until the page is `ready`. */
const page = (path: string, ready: (text: string) => boolean) =>
  vi.waitFor(
    async () => {
      const answer = await createApi().call('GET', path, { env: local })
      if (!ready(answer.text)) throw new Error(`${path} is not ready: ${answer.text}`)
      return answer
    },
    { ...within(10_000), interval: 100 },
  )

test('the /dev routes exist only on a local stack', async () => {
  for (const ENVIRONMENT of ['production', 'test'] as const)
    for (const [method, path] of [
      ['GET', '/dev/inbox'],
      ['POST', '/dev/faucet'],
      ['GET', `/dev/tx/0x${'0'.repeat(64)}`],
    ] as const) {
      const answer = await createApi().call(method, path, {
        env: { ENVIRONMENT },
        ...(method === 'POST' ? { body: {} } : {}),
      })
      expect([answer.status, answer.json.code], `${method} ${path}`).toEqual([404, 'not_found'])
    }
})

describe('the inbox', () => {
  test('the inbox lists messages, newest first, for one recipient or all', async () => {
    const api = createApi()
    const first = await signedUp(api)
    api.clock.now += 1000
    const second = await signedUp(api)
    const list = async (query = '') =>
      (await api.call('GET', `/dev/inbox${query}`, { env: local, headers: { accept: 'application/json' } })).json
    const ours = ({ to }: { to: string }) => to === first.email || to === second.email // others share the inbox
    const all = (await list()).filter(ours)
    expect(all.map(({ to }: { to: string }) => to)).toEqual([second.email, first.email])
    expect(Object.keys(all[0]).sort()).toEqual(['at', 'channel', 'id', 'subject', 'text', 'to'])
    expect(await list(`?to=${first.email.toUpperCase()}`)).toEqual([all[1]])
  })

  test('the inbox page escapes user text and allows no script', async () => {
    const api = createApi()
    const script = '<script>alert(1)</script>'
    const message = { id: script, to: 'script@bursar.test', channel: 'email' as const, subject: script, text: script }
    await messageProviderFrom(env).send(message)
    const { text, headers } = await api.call('GET', '/dev/inbox?to=script@bursar.test', { env: local })
    expect(headers.get('content-type')).toContain('text/html')
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toContain('<script')
    const nonce = /<style nonce="([^"]+)">/.exec(text)?.[1]
    const policy = headers.get('content-security-policy')
    expect(policy).toContain(`default-src 'none'; style-src 'nonce-${nonce}'`)
    expect(policy).not.toContain('script-src')
  })
})

describe('the faucet and the explorer', () => {
  test.each(['base', 'base-sepolia'])('the faucet mints on %s', async (chain) => {
    const { status, json, text } = await faucet({ address, amount: '12.5', chain })
    expect(status, text).toBe(200)
    expect(json.data.txHash).toMatch(/^0x[0-9a-f]{64}$/)
    if (chain === 'base-sepolia') {
      const waiting = await page(`/dev/tx/${json.data.txHash}`, () => true)
      expect(waiting.text).toContain('Waiting to be mined')
      return
    }
    const mined = await page(`/dev/tx/${json.data.txHash}`, (html) => html.includes('Success'))
    expect(mined.text).toContain('12.5')
    const { text: account } = await page(`/dev/address/${address}`, (html) => html.includes('12.5 USDC'))
    expect(account).toContain(json.data.txHash)
    expect(account).toContain('Account without code')
  })

  test('the faucet refuses invalid input with its field', async () => {
    expect((await faucet({ address: '0x12', amount: '1' })).json).toMatchObject({ field: 'address' })
    for (const amount of ['0', '-1', '1e6', '0.0000001', '', 5])
      expect((await faucet({ address, amount })).json, String(amount)).toMatchObject({
        code: 'invalid_input',
        field: 'amount',
      })
    expect((await faucet({ address, amount: '1', chain: 'ethereum' })).json).toMatchObject({ field: 'chain' })
  })

  test('the explorer returns 404 for an unknown hash and 400 for invalid hashes and addresses', async () => {
    const api = createApi()
    const get = async (path: string) => (await api.call('GET', path, { env: local })).status
    expect(await get(`/dev/tx/0x${'0'.repeat(64)}`)).toBe(404)
    expect(await get('/dev/tx/%3Cscript%3E')).toBe(400)
    expect(await get('/dev/address/0x12')).toBe(400)
  })
})
