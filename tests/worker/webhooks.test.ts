/** Webhooks from the change in the Treasury to the receiver. */

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import { countWebhookAccounts, restoreWebhooks, writeWebhook, writeWebhookFailing } from '../../worker/db/webhooks.ts'
import { unwrap } from '../../worker/result.ts'
import { runScheduled } from '../../worker/scheduled.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import type { WebhookTarget } from '../../worker/webhooks/api.ts'
import { afterAttempt } from '../../worker/webhooks/senderStore.ts'
import type { WebhookSender } from '../../worker/webhooks/webhookSender.ts'
import { createOpsApi } from '../support/accessStandIn.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { usdc } from '../support/build.ts'
import { kill } from '../support/kill.ts'
import { becomes, payAndConfirm } from '../support/manualClock.ts'
import { accepted, createPayer, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { relayerAhead, removeBlocks, stopFinality } from '../support/reorganization.ts'
import { inTreasury } from '../support/treasuries.ts'
import { createReceiver } from '../support/webhookReceiver.ts'
import { env, mailsTo } from './apiClient.ts'

beforeAll(prepare)
afterEach(() => relayerAhead(0))

async function pay(payer: Payer, amount = '1') {
  const paid = await accepted(payer, { amount: usdc(amount) })
  return paid.id
}
/** Waits until the Treasury has handed all its events to the sender. */
const handedOver = (payer: Payer) =>
  until('events handed over', async () => {
    await runDurableObjectAlarm(payer.treasury())
    return inTreasury(
      payer,
      ({ context: { store } }) => store.first("SELECT 1 FROM outbox WHERE kind = 'event'") === null,
    )
  })

test('a send and a payout are reported step by step, with the full object and a rising seq @webhooks-6', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  const all = await receiver.add()
  const some = await receiver.add(['payment.confirmed'])
  const send = await pay(payer)
  await payer.final(send)
  const email = 'webhooks@example.com'
  const created = unwrap(await payer.treasury().createPayout(payer.payment({ to: { type: 'email', email } })))
  const payout = created.escrowId
  await until('claimable', async () => all.types().includes('payout.ready'))
  const reclaimed = await payer.treasury().reclaim(payout)
  expect(reclaimed.ok).toBe(true)
  await until('reclaimed', async () => all.types().includes('payout.reclaimed'))

  const of = (id: string) =>
    all
      .events()
      // A payment is signed during acceptance or later, depending on whether key and block are available.
      .filter(({ type, data }) => data.id === id && type !== 'payment.signed')
      .sort((a, b) => a.data.seq - b.data.seq)
      .map(({ type, data }) => [type, data.previous_status, data.status])
  expect(of(send)).toEqual([
    ['payment.accepted', null, expect.stringMatching(/QUEUED|PROCESSING/)],
    ['payment.confirmed', 'PROCESSING', 'CONFIRMED'],
  ])
  expect(of(payout)).toEqual([
    ['payment.accepted', null, expect.stringMatching(/QUEUED|PROCESSING/)],
    ['payment.funded', 'PROCESSING', 'PENDING'],
    ['payout.ready', 'PENDING', 'PENDING'],
    ['payout.reclaim_started', 'PENDING', 'PENDING'],
    ['payout.reclaimed', 'PENDING', 'CANCELLED'],
  ])
  const { events } = all
  expect(new Set(events().map(({ data }) => data.seq)).size, 'no seq twice').toBe(events().length)
  const [confirmed] = some.events()
  expect(some.types()).toEqual(['payment.confirmed'])
  const { budget: _, ...shown } = unwrap(await payer.treasury().payment(payer.principals[0]!, send))
  expect(confirmed!.data).toMatchObject(shown)
  // Neither link nor code leaves Bursar in an event.
  const { claimUrl, passcode } = created
  const token = claimUrl.split('/').at(-1)!
  for (const { body } of events()) {
    expect(body).not.toContain(token)
    expect(body).not.toContain(`"${passcode}"`)
    expect(body).not.toContain('/claim/')
  }
})

test('a receiver that is down for a day gets every event once it recovers @webhooks-7', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['payment.accepted'], () => new Response(null, { status: 503 }))
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    ids.push(await pay(payer))
    await handedOver(payer)
    await receiver.pass(2 * hourMs, 8)
  }
  await receiver.pass(16 * hourMs, 16)
  expect(hook.events()).toEqual([])
  const waiting = await hook.deliveries()
  expect(waiting.map(({ status }) => status)).toEqual(ids.map(() => 'waiting'))
  expect(waiting.at(-1)!.attempts).toBeGreaterThan(5)
  hook.respond(() => new Response())
  // The first successful delivery brings the others forward.
  await receiver.pass(15 * hourMs, 15)
  expect(
    hook
      .events()
      .map(({ data }) => data.id)
      .sort(),
  ).toEqual(ids.sort())
})

test('a receiver that never responds does not delay others @webhooks-8', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  let hanging = 0
  const slow = await receiver.add(['*'], () => {
    hanging += 1
    return new Promise(() => {})
  })
  const quick = await receiver.add()
  for (let i = 0; i < 12; i++) await pay(payer)
  await until(
    'the other has all',
    async () => quick.types().filter((type) => type === 'payment.accepted').length === 12,
  )
  expect(slow.events()).toEqual([])
  expect(hanging, 'connections of the slow one').toBeLessThanOrEqual(3)
})

test('a webhook is switched off immediately by a 410 and after three days of failures, and its owner is emailed @webhooks-9', async () => {
  const api = await createTestApp()
  const home = await createAccountFixture(api)
  const { email } = (await home.asOwner('GET', `/users/${home.user}`)).json.data
  const receiver = await createReceiver(home.user)
  const gone = await receiver.add(['webhook.test'], () => new Response(null, { status: 410 }))
  const failing = await receiver.add(['webhook.test'], () => new Response(null, { status: 500 }))
  const redirected = await receiver.add(['webhook.test'], () => new Response(null, { status: 302 }))
  for (const { id } of [gone, failing, redirected]) await env.TREASURY.getByName(home.user).webhooks().test(id)
  await receiver.settled()
  await until('off', async () => (await gone.now())?.disabledReason === 'gone')
  expect(await redirected.deliveries()).toMatchObject([
    { status: 'waiting', attemptList: [{ status: 302, error: 'Redirects are not followed' }] },
  ])
  await receiver.pass(71 * hourMs, 30)
  expect((await failing.now())?.enabled).toBe(true)
  await receiver.pass(2 * hourMs, 3)
  await until('off as well', async () => (await failing.now())?.disabledReason === 'failing')
  expect(await failing.deliveries()).toMatchObject([
    { status: 'failed', problem: 'It could not be delivered in three days' },
  ])
  await until(
    'mails',
    async () => (await mailsTo(email)).filter((text) => text.includes('is switched off')).length === 3,
  )
  // Written so that no mailer turns it into a link.
  expect((await mailsTo(email)).join()).toContain(new URL(failing.url).host.replaceAll('.', '[.]'))

  // Switched on again it starts fresh, and missed events can be replayed.
  const path = `/api/webhooks/${failing.id}`
  const replay = (delivery: string) => api.call('POST', `${path}/deliveries/${delivery}/replay`, { token: home.token })
  const [missed] = await failing.deliveries()
  expect((await replay(missed!.id)).json.code, 'while it is off').toBe('conflict')
  failing.respond(() => new Response())
  expect((await api.call('PATCH', path, { token: home.token, body: { enabled: true } })).json.data).toMatchObject({
    enabled: true,
    disabledReason: null,
  })
  expect((await replay(missed!.id)).status).toBe(202)
  await receiver.settled()
  expect(failing.events().map(({ id }) => id)).toEqual([missed!.id])
  expect((await replay(missed!.id)).status, 'a delivered event can be replayed too').toBe(202)
  await receiver.settled()
  expect(failing.events().map(({ id }) => id)).toEqual([missed!.id, missed!.id])
})

test('nothing is sent for a suspended account, while webhooks are stopped, or to a webhook that is off or deleted @webhooks-10', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['payment.accepted'])
  const deleted = await receiver.add(['payment.accepted'])
  const off = await receiver.add(['payment.accepted'])
  const treasury = payer.treasury()
  // Creates an event, which waits in the sender when the change arrives.
  const waits = async () => {
    await receiver.sender().refresh()
    const id = await pay(payer)
    await runInDurableObject(treasury, (object: Treasury) => object.context.schedule('outbox', 1))
    return id
  }
  await treasury.operators().suspend(true)
  await treasury.operators().suspend(false)
  await treasury.webhooks().delete(deleted.id)
  await treasury.webhooks().edit(off.id, { enabled: false })
  await env.DB.prepare('INSERT INTO webhook_stop (one, since) VALUES (1, 1)').run()
  const id = await waits()
  await handedOver(payer)
  await receiver.settled()
  expect(hook.events()).toEqual([])
  await env.DB.prepare('DELETE FROM webhook_stop').run()
  await treasury.operators().suspend(true)
  await receiver.pass(2 * minuteMs, 3)
  expect(hook.events()).toEqual([])
  await treasury.operators().suspend(false)
  await receiver.pass(2 * minuteMs, 3)
  expect(hook.events().map(({ data }) => data.id)).toEqual([id])
  expect([...deleted.events(), ...off.events()]).toEqual([])
  expect(await treasury.webhooks().get(deleted.id)).toMatchObject({ ok: false, code: 'not_found' })
  // An event that waits for a webhook when the webhook is deleted is not sent either.
  hook.respond(() => new Response(null, { status: 500 }))
  await pay(payer)
  await handedOver(payer)
  await receiver.settled()
  await treasury.webhooks().delete(hook.id)
  hook.respond(() => new Response())
  await receiver.pass(dayMs, 10)
  expect(hook.events()).toHaveLength(1)
  expect(await hook.deliveries(), 'and no record stays').toEqual([])
})

test('after a rotation both secrets sign for 24 hours, then only the new one @webhooks-11', async () => {
  const payer = await createPayer()
  const treasury = payer.treasury()
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['webhook.test'])
  const rotated = unwrap(await treasury.webhooks().rotateSecret(hook.id, true))
  // The receiver still checks with the old secret.
  await treasury.webhooks().test(hook.id)
  await receiver.settled()
  expect(hook.events()).toHaveLength(1)
  hook.useSecret(rotated.secret)
  await treasury.webhooks().test(hook.id)
  await receiver.settled()
  expect(hook.events()).toHaveLength(2)
  const targets = () => runInDurableObject(treasury, (object: Treasury) => object.webhookTargets())
  expect((await targets()).endpoints[0]!.secrets).toHaveLength(2)
  await runInDurableObject(treasury, ({ context }: Treasury) => {
    context.now = () => Date.now() + dayMs + 1000
  })
  expect((await targets()).endpoints[0]!.secrets).toEqual([rotated.secret])
  const stored = await runInDurableObject(treasury, ({ context: { store } }: Treasury) =>
    JSON.stringify(store.all('SELECT * FROM webhook')),
  )
  expect(stored).not.toContain('whsec_')
})

test('killing the sender and the Treasury during a delivery loses no event @webhooks-12', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['payment.accepted'], () => new Promise(() => {}))
  const id = await pay(payer)
  await handedOver(payer)
  await until('an attempt under way', async () => (await hook.deliveries()).length === 1)
  await kill(receiver.sender())
  await kill(payer.treasury())
  await receiver.attach()
  hook.respond(() => new Response())
  await receiver.pass(2 * minuteMs, 3)
  expect(hook.events().map(({ data }) => data.id)).toEqual([id])
  // Handed over twice, as after a lost reply: still delivered once.
  const { id: eventId, body } = hook.events()[0]!
  await receiver.sender().accept([{ id: eventId, type: 'payment.accepted', at: 1, body, endpoints: [hook.id] }])
  await receiver.pass(2 * minuteMs, 3)
  expect(hook.events()).toHaveLength(1)
})

test('a replay that is requested during the last attempt of a delivery is not lost @webhooks-25', async () => {
  const payer = await createPayer()
  const receiver = await createReceiver(payer.userId)
  const { id } = await receiver.add(['*'], () => new Response(null, { status: 500 }))
  await pay(payer)
  await handedOver(payer)
  const shown = await runInDurableObject(receiver.sender(), ({ store }: WebhookSender) => {
    const now = Date.now() + 4 * dayMs
    const [delivery] = store.due(id, now, [], 1)
    store.restart(id, delivery!.event_id, now)
    const outcome = { isDelivered: false, status: 500, error: null }
    const target = { id, version: 1 } as WebhookTarget
    afterAttempt(store, { target, delivery: delivery!, outcome, at: now, now, random: 0.5 })
    return store.delivery(id, delivery!.event_id)
  })
  expect(shown).toMatchObject({ status: 'waiting', problem: null })
})

test('a webhook sender whose alarm was lost is woken by the cron and reported @webhooks-23', async () => {
  const payer = await createPayer({ funds: '0' })
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['webhook.test'], () => new Response(null, { status: 503 }))
  const noted = () =>
    env.DB.prepare('SELECT due_at FROM webhook_work WHERE user_id = ?').bind(payer.userId).first<number>('due_at')
  await payer.treasury().webhooks().test(hook.id)
  await receiver.settled()
  await receiver.pass(8_000)
  // The event waits for its third attempt, a minute later.
  const nextAttemptAt = (await hook.deliveries())[0]!.nextAttemptAt!
  await until('noted', async () => Math.abs((await noted())! - Date.parse(nextAttemptAt)) <= 60_000)
  await runInDurableObject(receiver.sender(), (_: WebhookSender, { storage }) => storage.deleteAlarm())
  hook.respond(() => new Response())
  receiver.ahead(2 * hourMs)
  await runScheduled(env, Date.parse(nextAttemptAt) + 30_000)
  await receiver.settled()
  expect(hook.events(), 'not late yet').toEqual([])
  const at = Date.parse(nextAttemptAt) + 4 * minuteMs
  await runScheduled(env, at)
  await receiver.settled()
  expect(hook.events()).toHaveLength(1)
  const lost = env.DB.prepare("SELECT subject FROM object_trouble WHERE kind = 'alarm_lost' AND since = ?").bind(at)
  expect((await lost.all<{ subject: string }>()).results.map(({ subject }) => subject)).toContain(
    `webhooks:${payer.userId}`,
  )
  await until('nothing waits', async () => (await noted()) === null)
})

test('a payment that a reorganization removed is reported as undone, then as confirmed again, with a rising seq @webhooks-13', async () => {
  const payer = await createPayer({ on: manualChain })
  const { last } = await stopFinality(payer)
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add()
  const { id } = await payAndConfirm(payer, { amount: usdc('1') })
  await removeBlocks(payer, last)
  await becomes(payer, id, 'CONFIRMED')
  await handedOver(payer)
  await receiver.settled()
  const steps = hook
    .events()
    .filter(({ type, data }) => data.id === id && type !== 'payment.signed')
    .sort((a, b) => a.data.seq - b.data.seq)
  expect(new Set(steps.map(({ data }) => data.seq)).size).toBe(4)
  expect(steps.map(({ type, data }) => [type, data.previous_status, data.status])).toEqual([
    ['payment.accepted', null, expect.stringMatching(/QUEUED|PROCESSING/)],
    ['payment.confirmed', 'PROCESSING', 'CONFIRMED'],
    ['payment.undone', 'CONFIRMED', 'PROCESSING'],
    ['payment.confirmed', 'PROCESSING', 'CONFIRMED'],
  ])
})

test('deliveries are kept for 30 days; webhooks that cannot keep up are switched off @webhooks-14', async () => {
  const payer = await createPayer({ funds: '0' })
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['webhook.test'])
  await payer.treasury().webhooks().test(hook.id)
  await receiver.settled()
  expect(await hook.deliveries()).toHaveLength(1)
  await receiver.pass(31 * dayMs, 2)
  expect(await hook.deliveries()).toEqual([])
  const left = await runInDurableObject(receiver.sender(), (_: WebhookSender, { storage }) =>
    storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM event').one(),
  )
  expect(left.n).toBe(0)

  hook.respond(() => new Promise(() => {}))
  await runInDurableObject(receiver.sender(), (_: WebhookSender, { storage }) => {
    storage.sql.exec("INSERT INTO event (id, type, at, body) VALUES ('evt_many', 'webhook.test', 1, '{}')")
    storage.sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
       INSERT INTO delivery (event_id, endpoint_id, status, since, due_at) SELECT 'evt_' || i, ?, 'waiting', 1, 9e15 FROM n`,
      hook.id,
    )
  })
  await receiver.sender().refresh()
  await receiver.pass(2 * minuteMs, 2)
  await until('off', async () => (await hook.now())?.disabledReason === 'too_many_waiting')
})

test('a user has at most five webhooks, with different URLs outside Bursar; agents cannot use the webhook API @webhooks-15', async () => {
  const api = await createTestApp()
  const home = await createAccountFixture(api, { funds: 0n })
  const { token } = home
  const password = 'correct horse battery'
  const create = (body: object, as = token) =>
    api.call('POST', '/api/webhooks', { token: as, body: { ...body, password } })
  const url = 'https://example.com/hook'
  const first = await create({ url, events: ['payment.confirmed', 'payment.confirmed'] })
  expect(first.json.data).toMatchObject({ url, events: ['payment.confirmed'], enabled: true, disabledReason: null })
  expect(first.json.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  for (const [body, field] of [
    [{ url, events: ['*'] }, 'url'],
    [{ url: 'https://10.0.0.1/', events: ['*'] }, 'url'],
    [{ url: 'http://localhost:3001/api', events: ['*'] }, 'url'],
    [{ url: 'https://example.org/', events: ['payment.paid'] }, 'events.0'],
    [{ url: 'https://example.org/', events: [] }, 'events'],
    [{ events: ['*'] }, 'url'],
  ] as const) {
    const refused = await create(body)
    expect([400, 409], refused.text).toContain(refused.status)
    expect(refused.json.field).toBe(field)
  }
  for (let i = 0; i < 4; i++) expect((await create({ url: `${url}${i}`, events: ['*'] })).status).toBe(201)
  expect((await create({ url: `${url}5`, events: ['*'] })).json.code).toBe('conflict')
  const list = await api.call('GET', '/api/webhooks', { token })
  expect(list.json.data).toHaveLength(5)
  expect(list.text).not.toContain('whsec_')
  const path = `/api/webhooks/${first.json.data.id}`
  const edited = await api.call('PATCH', path, {
    token,
    body: { url: 'http://127.0.0.1:9/', events: ['*', 'payment.failed'], password },
  })
  expect(edited.json.data).toMatchObject({ url: 'http://127.0.0.1:9/', events: ['*'] })
  expect((await api.call('PATCH', path, { token, body: { url: 'https://169.254.169.254/' } })).status).toBe(400)
  for (const [method, route] of [
    ['GET', '/api/webhooks'],
    ['POST', '/api/webhooks'],
    ['PATCH', path],
    ['DELETE', path],
    ['POST', `${path}/rotate-secret`],
    ['POST', `${path}/test`],
    ['GET', `${path}/deliveries`],
    ['POST', `${path}/deliveries/x/replay`],
  ] as const) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: { url, events: ['*'] } }
    const asAgent = await api.call(method, route, { token: home.apiKey, ...body })
    expect(asAgent.status, `${method} ${route}`).toBe(401)
  }
  expect((await api.call('DELETE', path, { token })).status).toBe(200)
  expect((await api.call('GET', '/api/webhooks', { token })).json.data).toHaveLength(4)
})

test('five failing webhooks of one account are one failing account @webhooks-24', async () => {
  const db = primaryDb(env.DB)
  const before = await countWebhookAccounts(db)
  for (let i = 0; i < 5; i++) {
    await writeWebhook(db, { id: `wh_alone_${i}`, userId: 'user_alone', state: 'on', edition: 1 })
    await writeWebhookFailing(db, `wh_alone_${i}`, 1)
  }
  await writeWebhook(db, { id: 'wh_off', userId: 'user_off', state: 'off', edition: 1 })
  expect(await countWebhookAccounts(db)).toEqual({ on: before.on + 1, failing: before.failing + 1 })
  await restoreWebhooks(db, 'user_alone', [], 2)
  await restoreWebhooks(db, 'user_off', [], 2)
})

test('operators see how many webhooks fail, and can stop them with a reason @webhooks-21', async () => {
  const payer = await createPayer({ funds: '0' })
  const { operate } = await createOpsApi('webhooks')
  const state = async () => (await operate('GET', '/status')).json.data.webhooks
  const receiver = await createReceiver(payer.userId)
  const hook = await receiver.add(['webhook.test'], () => new Response(null, { status: 500 }))
  await payer.treasury().webhooks().test(hook.id)
  await receiver.pass(2 * hourMs, 8)
  // Other tests have webhooks as well, some of which fail.
  const failingSince = () =>
    env.DB.prepare('SELECT failing_since FROM webhook_endpoint WHERE id = ?').bind(hook.id).first('failing_since')
  await until('counted', async () => (await failingSince()) !== null)
  expect((await state()).on).toBeGreaterThan(0)
  expect((await state()).failing).toBeGreaterThan(0)
  expect((await operate('POST', '/webhooks/stop', {})).status, 'without a reason').toBe(400)
  expect((await operate('POST', '/webhooks/stop', { reason: 'drill' })).json.data.stoppedSince).toMatch(/^20/)
  await receiver.pass(10_000)
  const tried = (await hook.deliveries())[0]!.attempts
  await receiver.pass(5 * hourMs, 5)
  expect((await hook.deliveries())[0]!.attempts, 'nothing is tried while it is stopped').toBe(tried)
  expect((await operate('POST', '/webhooks/resume', { reason: 'drill' })).json.data.stoppedSince).toBeNull()
  hook.respond(() => new Response())
  await receiver.pass(15 * hourMs, 5)
  expect(hook.events()).toHaveLength(1)
  await until('works again', async () => (await failingSince()) === null)
  const acts = (await operate('GET', '/actions')).json.data.map(({ action }: { action: string }) => action)
  expect(acts).toEqual(expect.arrayContaining(['webhooks.stop', 'webhooks.resume']))
})
