/** Whatever the owner stops is refused from the next call on, for any credential, while payments are in progress. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CreatedAgent } from '#schemas/policy.ts'
import type { Recipient } from '#sdk'
import { agentAt, payOnce, replyTo } from '../support/agentCalls.ts'
import { within } from '../support/patience.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { bursar, stateDir, url } from './gateway.ts'

type Agent = { id: string; apiKey: string; clientId: string; clientSecret: string }
type Refusal = { id: string; code: string; error?: string }

const sender = await createSender({ bursar, stateDir }, { funds: '50', limit: 40 })

const to = addressFor('stops')

async function owner(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown) {
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${await sender.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  })
  expect(response.status, await response.clone().text()).toBeLessThan(300)
  return ((await response.json()) as { data: { apiKey: string; clientSecret: string } }).data
}

async function anotherAgent(): Promise<Agent> {
  const made = await bursar.api<CreatedAgent>('/agents', {
    token: await sender.token(),
    key: randomUUID(),
    body: { name: 'Stopped', policyGroupId: sender.groupId },
  })
  return { id: made.agent.id, clientId: made.clientId, clientSecret: made.clientSecret!, apiKey: made.apiKey! }
}

async function accessToken({ clientId, clientSecret }: Agent) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return bursar.call<{ access_token: string; error?: string }>('/oauth/token', { form })
}

const pay = (token: string, recipient: Recipient = to) =>
  payOnce<Refusal>(bursar, token, { to: recipient, amount: '0.01' })
const context = async (token: string) => (await replyTo(agentAt(url, token).context())).status

/**
 * Pays with each token until `stop` has returned, then twice more per payer. Returns the replies to the requests sent
 * after that; earlier requests may have been accepted or refused.
 */
async function whilePaying(tokens: string[], stop: () => Promise<unknown>) {
  let stopped = false
  const after: { status: number; body: Refusal }[] = []
  const before: number[] = []
  const payers = tokens.flatMap((token) =>
    Array.from({ length: 3 }, async () => {
      for (let extra = 0; extra < 2; ) {
        const isAfter = stopped
        const { status, body } = await pay(token)
        if (isAfter) {
          after.push({ status, body })
          extra++
        } else before.push(status)
      }
    }),
  )
  await expect.poll(() => before.includes(201), within(10_000)).toBe(true)
  await stop()
  stopped = true
  await Promise.all(payers)
  expect(before.filter((status) => status === 201).length, 'payments were running').toBeGreaterThan(0)
  expect(after.length).toBe(tokens.length * 6)
  return after
}

describe('with a cached token and an API key, in parallel with running payments @stops-1', () => {
  test('a paused agent is refused, and resumes with the same credentials', async () => {
    const agent = await anotherAgent()
    const token = (await accessToken(agent)).body.access_token
    const after = await whilePaying([token, agent.apiKey], () => owner('POST', `/agents/${agent.id}/pause`))
    for (const { status, body } of after) expect([status, body.code]).toEqual([403, 'agent_disabled'])
    await owner('POST', `/agents/${agent.id}/resume`)
    for (const credential of [token, agent.apiKey]) expect((await pay(credential)).status).toBe(201)
  })

  test('a paused group stops all its agents', async () => {
    const agent = await anotherAgent()
    const token = (await accessToken(agent)).body.access_token
    const after = await whilePaying([token, sender.agents[0]!.apiKey], () =>
      owner('POST', `/policy-groups/${sender.groupId}/pause`),
    )
    for (const { status, body } of after) expect([status, body.code]).toEqual([403, 'agent_disabled'])
    await owner('POST', `/policy-groups/${sender.groupId}/resume`)
    expect((await pay(token)).status).toBe(201)
  })

  test('rejects the token, API key and client of a deleted agent @stops-2', async () => {
    const agent = await anotherAgent()
    const token = (await accessToken(agent)).body.access_token
    const after = await whilePaying([token, agent.apiKey], () => owner('DELETE', `/agents/${agent.id}`))
    for (const { status, body } of after) expect([status, body.code]).toEqual([401, 'unauthenticated'])
    expect([await context(token), await context(agent.apiKey)]).toEqual([401, 401])
    const again = await accessToken(agent)
    expect([again.status, again.body.error]).toEqual([401, 'invalid_client'])
  })

  test('a revoked token is refused, and the API key keeps working', async () => {
    const agent = await anotherAgent()
    const token = (await accessToken(agent)).body.access_token
    const form = { token, client_id: agent.clientId, client_secret: agent.clientSecret }
    const after = await whilePaying([token], () =>
      fetch(`${url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(form) }),
    )
    for (const { status, body } of after) expect([status, body.code]).toEqual([401, 'unauthenticated'])
    expect((await pay(agent.apiKey)).status).toBe(201)
  })

  test('regenerating with “revoke now” ends the old credential immediately; otherwise both work @stops-3', async () => {
    const agent = await anotherAgent()
    const kept = await owner('POST', `/agents/${agent.id}/regenerate-api-key`)
    for (const key of [agent.apiKey, kept.apiKey]) expect(await context(key)).toBe(200)
    const after = await whilePaying([kept.apiKey], () =>
      owner('POST', `/agents/${agent.id}/regenerate-api-key`, { revokeNow: true }),
    )
    for (const { status } of after) expect(status).toBe(401)
    expect(await context(agent.apiKey)).toBe(401)

    const token = (await accessToken(agent)).body.access_token
    const fresh = await owner('POST', `/agents/${agent.id}/regenerate-credentials`, { revokeNow: true })
    expect((await accessToken(agent)).status, 'the old secret').toBe(401)
    expect((await accessToken({ ...agent, clientSecret: fresh.clientSecret })).status, 'the new secret').toBe(200)
    expect(await context(token), 'a token obtained with the old secret').toBe(401)
  })

  test('a removed scope is refused immediately, although the token still contains it @stops-4', async () => {
    const agent = await anotherAgent()
    const token = (await accessToken(agent)).body.access_token
    const group = await bursar
      .api<{ id: string; name: string; walletId: string; version: number }[]>('/policy-groups', {
        token: await sender.token(),
      })
      .then((groups) => groups.find(({ id }) => id === sender.groupId)!)
    const after = await whilePaying([token, agent.apiKey], () =>
      owner('PUT', `/policy-groups/${group.id}`, {
        name: group.name,
        walletId: group.walletId,
        scopes: ['email_payments:write'],
        whitelistedContactIds: [],
      }),
    )
    for (const { status, body } of after) expect([status, body.code]).toEqual([403, 'insufficient_scope'])
    const little = await accessToken(agent)
    const { scope } = little.body as unknown as { scope: string }
    expect(scope).toBe('email_payments:write payment_context:read')
  })
})
