import { expect, test } from 'vitest'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh } from '../support/payer.ts'

const api = await createTestApp()

const crowd = 300

test('many calls of one agent delay only each other, not the dashboard or other users @fairness-1', async () => {
  const [hot, other] = [await createAccountFixture(api), await createAccountFixture(api)]
  const body = { to: { type: 'address', address: fresh('x') }, amount: '1' }
  let done = 0
  const hotCalls = Array.from({ length: crowd }, async () => {
    const { status } = await api.call('POST', '/v1/payments/check', { token: hot.apiKey, body })
    done++
    return status
  })
  const before = async (call: Promise<{ status: number; text: string }>) => {
    const { status, text } = await call
    expect(status, text).toBeLessThan(300)
    return done
  }
  const [dashboard, theirs] = await Promise.all([
    before(hot.asOwner('GET', '/policy-groups/with-agents')),
    before(api.call('POST', '/v1/payments', { token: other.apiKey, key: 'k', body })),
  ])
  expect(dashboard, 'calls of the crowd before the dashboard’s reply').toBeLessThan(crowd / 3)
  expect(theirs, 'calls of the crowd before the other agent had paid').toBeLessThan(crowd / 3)
  expect(new Set(await Promise.all(hotCalls)), 'the crowd still gets its replies').toEqual(new Set([200]))
})
