/** What a browser's push service receives, decrypted by an independent implementation, web-push-testing. */
import { createRequire } from 'node:module'
import getPort from 'get-port'
import { afterAll, expect, test } from 'vitest'
import { newSigningKey } from '../../local/stack/secrets.ts'
import { type PushSettings, sendPush, vapidKeys } from '../../worker/notifications/push.ts'
import { clientPath } from '../support/clients.ts'
import { startRequestRecorder } from '../support/requestRecorder.ts'

const notice = { title: 'Bot asks to pay 25.00 USDC', body: 'Zoë', path: '/dashboard/approvals/apr_1', tag: 'apr_1' }
const require = createRequire(clientPath('web-push-testing/package.json'))
const { PushApiModel } = require('./src/PushApiModel.js')
const WebPushTestingServer = require('./src/server.js')
const port = await getPort()
const model = new PushApiModel()
const browser = { model, server: new WebPushTestingServer(model, port) }
browser.server.startServer()
const settings: PushSettings = {
  PUSH_PRIVATE_JWK: await newSigningKey(),
  PUSH_ENDPOINT: `http://localhost:${port}`,
  MAIL_FROM: 'hello@bursar.example',
  APP_ORIGIN: 'https://bursar.example',
}
const service = await startRequestRecorder()
afterAll(async () => {
  browser.server._server.close()
  await service.stop()
})

async function subscribe() {
  const { publicKey } = vapidKeys(settings.PUSH_PRIVATE_JWK!)
  const { keys, clientHash } = await browser.model.subscribe({
    userVisibleOnly: 'true',
    applicationServerKey: publicKey,
  })
  return { clientHash, subscription: { endpoint: `https://fcm.googleapis.com/notify/${clientHash}`, keys } }
}

test('a browser decrypts the push message, and an expired subscription is reported as gone @push-1', async () => {
  const { clientHash, subscription } = await subscribe()
  expect(await sendPush(settings, subscription, notice, 60)).toBe('accepted')
  expect(browser.model.messages[clientHash].map((text: string) => JSON.parse(text))).toEqual([notice])

  browser.model.expireSubscription(clientHash)
  expect(await sendPush(settings, subscription, notice, 60)).toBe('gone')
})

test('sending fails if the push service refuses, redirects or is down, and redirects are not followed @push-2', async () => {
  const { subscription } = await subscribe()
  const send = () => sendPush({ ...settings, PUSH_ENDPOINT: service.url }, subscription, notice, 90.5)
  service.reply({ status: 403 }, { status: 302, headers: { location: `${service.url}/elsewhere` } }, { status: 404 })
  expect([await send(), await send(), await send()]).toEqual(['failed', 'failed', 'gone'])
  expect(service.requests).toHaveLength(3)

  const { headers, body } = service.last()
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '90', urgency: 'high' })
  expect(body).not.toContain('25.00')
  expect(await sendPush({ ...settings, PUSH_ENDPOINT: 'http://127.0.0.1:1' }, subscription, notice, 60)).toBe('failed')
})

test('nothing is sent to a host that is not a push service @push-3', async () => {
  const { subscription } = await subscribe()
  const direct = { ...settings, PUSH_ENDPOINT: service.url }
  const before = service.requests.length
  for (const endpoint of [`${service.url}/notify`, 'https://bursar.example/notify', 'https://10.0.0.1/x'])
    expect(await sendPush(direct, { ...subscription, endpoint }, notice, 60)).toBe('failed')
  expect(service.requests).toHaveLength(before)
})
