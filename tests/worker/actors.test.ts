/** The audit log says who acted, and through what, for every way into an account. */
import { expect, test } from 'vitest'
import type { ChangeList } from '#schemas/change.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { callTool } from '../support/mcpMessages.ts'
import { fresh, until } from '../support/payer.ts'
import { rowsOf, treasuryOf } from '../support/treasuries.ts'

const api = await createTestApp()

test('each row of the audit log names who acted and through what @safety-46', async () => {
  const own = await createAccountFixture(api)
  const actorOf = async (event: string, ref?: string) => {
    const rows = await rowsOf<{ by: string; via: string | null; ref: string }>(
      own,
      'SELECT by, via, ref FROM audit WHERE event = ? ORDER BY seq DESC',
      event,
    )
    const row = rows.find((each) => ref === undefined || each.ref === ref)
    return row && [row.by, row.via]
  }
  const owner = [own.user, 'dashboard']
  const bursar = ['bursar', null]
  expect(await actorOf('agent.created', own.agent)).toEqual(owner)

  const address = fresh('shop')
  const paid = await own.pay({ to: { type: 'address', address }, amount: '1' })
  expect(paid.status, paid.text).toBe(201)
  expect(await actorOf('payment.accepted', paid.json.id), 'an API key').toEqual([own.agent, 'api'])
  await own.pay({ to: { type: 'address', address }, amount: '1000' })
  expect(await actorOf('payment.refused')).toEqual([own.agent, 'api'])
  await until('confirmed', () => actorOf('payment.confirmed', paid.json.id))
  expect(await actorOf('payment.confirmed', paid.json.id), 'the chain').toEqual(bursar)

  const { content } = await callTool(api, own.apiKey, 'pay_address', {
    address: fresh('other'),
    amount: '1',
    idempotency_key: crypto.randomUUID(),
  })
  expect(await actorOf('payment.accepted', content.id), 'the same key at /mcp').toEqual([own.agent, 'mcp'])

  const payout = await own.createPayout()
  expect(await actorOf('payment.accepted', payout.id)).toEqual(owner)
  expect(await actorOf('payout.ready', payout.id)).toEqual(bursar)
  const call = (path: string, body: object) =>
    api.call('POST', `/api/escrow/${path}`, { body: { accessToken: payout.link, ...body } })
  const verified = await until('its page', async () => {
    const reply = await call('verify-passcode', { passcode: payout.passcode })
    return reply.status === 200 && reply
  })
  const { sessionToken } = verified.json.data
  expect((await call('claim', { recipientAddress: fresh('bob'), sessionToken })).status).toBe(200)
  expect(await actorOf('payout.claim_started', payout.id), 'the claim page').toEqual(['recipient', 'claim_page'])

  const bad = await own.createPayout()
  await treasuryOf(own).operators().setLinkDown(bad.id, true)
  expect(await actorOf('payout.link_taken_down', bad.id)).toEqual(['operator', 'operator'])
  expect((await own.asOwner('POST', `/escrow/${bad.id}/reclaim`)).status).toBe(200)
  expect(await actorOf('payout.reclaim_started', bad.id)).toEqual(owner)

  const { changes } = (await own.asOwner('GET', '/changes')).json.data as ChangeList
  const shown = (event: string) => changes.find((change) => change.event === event)
  expect(shown('payout.link_taken_down')).toMatchObject({ by: { type: 'operator', name: null }, via: 'operator' })
  expect(shown('agent.created')).toMatchObject({ by: { type: 'owner', name: null }, via: 'dashboard' })
})
