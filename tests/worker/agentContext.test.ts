import { expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'

const api = await createTestApp()

test('an agent’s first call already includes the wallet’s first deposit', async () => {
  const [rich, poor] = [await createAccountFixture(api), await createAccountFixture(api, { funds: 0n })]
  const most = async ({ apiKey }: { apiKey: string }) =>
    (await api.call('GET', '/v1/context', { token: apiKey })).json.max_allowed_now
  expect(await most(rich)).toBe('20')
  expect(await most(poor)).toBe('0')
})
