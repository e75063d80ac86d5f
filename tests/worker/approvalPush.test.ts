import { runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, test, vi } from 'vitest'
import { approvalNotice } from '../../worker/notifications/approvalMessages.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { fresh, until } from '../support/payer.ts'
import { newBrowser } from '../support/pushBrowser.ts'
import { serveUrl } from '../support/serveUrl.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
afterEach(() => vi.restoreAllMocks())

const PUSH_PRIVATE_JWK = JSON.stringify({ ...JSON.parse(env.JWT_PRIVATE_JWK), kid: 'push' })

/** Configures a push key, as the setting would. */
const offerPush = (home: AccountFixture) =>
  runInDurableObject(
    env.TREASURY.getByName(home.user) as unknown as DurableObjectStub<Treasury>,
    async ({ context }: Treasury) => {
      context.env = { ...context.env, PUSH_PRIVATE_JWK }
    },
  )

/** Requests a payment that waits for its owner. Returns a function that reads the approval as the owner. */
async function ask(home: AccountFixture) {
  const { version } = await home.groupNow()
  const body = { name: 'Group', walletId: home.wallet, scopes: ['address_payments:write'], approveAbove: '5', version }
  const edited = await home.asOwner('PUT', `/policy-groups/${home.group}`, body)
  expect(edited.status, edited.text).toBe(200)
  const asked = await home.pay({ to: { type: 'address', address: fresh('shop') }, amount: '6' })
  expect(asked.status, asked.text).toBe(202)
  const id = asked.json.approval.id as string
  return async () => (await home.asOwner('GET', `/approvals/${id}`)).json.data
}

test('a push to the owner’s browsers is retried until the push service accepts it, and the approval shows that @push-13', async () => {
  const home = await createAccountFixture(api)
  await offerPush(home)
  const browser = await newBrowser()
  await home.asOwner('POST', '/push/subscriptions', browser)
  const replies = [503, 201]
  const sent: number[] = []
  serveUrl(browser.endpoint, () => {
    const status = replies.shift() ?? 500
    sent.push(status)
    return new Response(null, { status })
  })
  const approval = await ask(home)
  const { push } = await until('the push service to take it', async () => {
    const { channels } = await approval()
    return channels.push.state === 'accepted' && channels
  })
  expect(sent).toEqual([503, 201])
  expect(Date.parse(push.at)).toBeGreaterThan(0)
})

test('without a browser, the approval shows that push is not set up @push-14', async () => {
  const home = await createAccountFixture(api)
  await offerPush(home)
  const approval = await ask(home)
  await until('push to be given up', async () => (await approval()).channels.push.state === 'not_set_up')
})

test('a push notification shows the agent and the amount of an approval, but not the recipient @push-15', () => {
  const waiting = {
    approvalId: 'apr_1',
    kind: 'payment' as const,
    agent: 'Scout\n',
    amount: '12.5',
    isTest: false,
    recipient: 'grace@bursar.test',
    expiresAt: 0,
  }
  expect(approvalNotice([waiting], null)).toEqual({
    title: 'Scout asks to pay 12.50 USDC',
    body: 'Nothing is paid before you approve it.',
    path: '/dashboard/approvals/apr_1',
    tag: 'apr_1',
  })
  expect(approvalNotice([waiting, { ...waiting, approvalId: 'apr_2' }], null)).toMatchObject({
    title: '2 requests wait for your approval',
    path: '/dashboard/approvals',
  })
})
