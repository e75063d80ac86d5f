import { beforeAll, expect, test } from 'vitest'
import { aHousehold } from '../support/household.ts'
import { prepare } from '../support/payer.ts'
import { type Api, anApi, seed } from './apiClient.ts'

let api: Api
beforeAll(async () => {
  await seed()
  await prepare()
  api = anApi()
})

test('an agent hears of the first money with its first question, and of none where there is none', async () => {
  const [rich, poor] = [await aHousehold(api), await aHousehold(api, { funds: 0n })]
  const most = async ({ apiKey }: { apiKey: string }) =>
    (await api.call('GET', '/v1/context', { token: apiKey })).json.max_allowed_now
  expect(await most(rich)).toBe('20')
  expect(await most(poor)).toBe('0')
})
