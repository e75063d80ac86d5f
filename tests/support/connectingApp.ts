/** An app that a person connects by URL, and the person's answers, over HTTP. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Connection } from '#schemas/connection.ts'
import type { Api, Options } from '../worker/apiClient.ts'
import type { AccountFixture } from './accountFixture.ts'
import { env } from './testEnv.ts'

export const password = 'correct horse battery'
export const redirectUri = 'http://127.0.0.1:5000/callback'
export const verifier = 'a-verifier-of-forty-three-characters-or-more'
const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url')

export const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
export const formOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()

let addresses = 0
/** From another network address each time, unless it is given. */
export const register = (api: Api, body: unknown = {}, from = `10.0.0.${++addresses}`) =>
  api.call('POST', '/oauth/register', {
    body: { client_name: 'Test app', redirect_uris: [redirectUri], ...(body as object) },
    from,
  })

export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number }

/** Registers an app, or uses `clientId`. */
export async function createConnectingApp(api: Api, own: AccountFixture, over: { clientId?: string } = {}) {
  const clientId = over.clientId ?? ((await register(api)).json.client_id as string)
  const resource = `${env.API_ORIGIN}/v1`

  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'xyz', resource },
    ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' },
  }
  const authorize = (changes: Record<string, string | undefined> = {}, options: Options = {}) => {
    const asked = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== undefined)
    return api.call('GET', `/oauth/authorize?${new URLSearchParams(asked as [string, string][])}`, options)
  }
  /** Asks to be connected, and returns the request's id. */
  async function ask(changes: Record<string, string | undefined> = {}): Promise<string> {
    const { status, headers, text } = await authorize(changes)
    const location = new URL(headers.get('location') ?? 'about:blank')
    expect([status, location.pathname], text).toEqual([302, '/dashboard/connect'])
    return location.searchParams.get('request')!
  }
  const newAgent = {
    type: 'new',
    name: 'Helper',
    policyGroup: {
      ...{ type: 'new', name: 'Helpers', walletId: own.wallet, scopes: ['address_payments:write'] },
      ...{ periodBudget: { period: 'day', limit: '20' }, approveAbove: '5' },
    },
  }
  const allow = (request: string, body: object = {}) =>
    own.asOwner('POST', `/connections/requests/${request}/allow`, { agent: newAgent, password, ...body })
  /** Asks, lets the owner allow it, and returns the parameters of the redirect. */
  async function allowed(body: object = {}, changes: Record<string, string | undefined> = {}) {
    const request = await ask(changes)
    const shown = await own.asOwner('GET', `/connections/requests/${request}`)
    expect(shown.status, shown.text).toBe(200)
    const answer = await allow(request, body)
    expect(answer.status, answer.text).toBe(200)
    const redirect = new URL(answer.json.data.redirect)
    return { request, redirect, code: redirect.searchParams.get('code')! }
  }
  const token = (parameters: Record<string, string>) =>
    api.call('POST', '/oauth/token', { raw: formOf({ client_id: clientId, ...parameters }), headers: asForm })
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier, ...changes })
  const refresh = (refreshToken: string, changes: Record<string, string> = {}) =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes })
  const revoke = (text: string, changes: Record<string, string> = {}) =>
    api.call('POST', '/oauth/revoke', {
      raw: formOf({ client_id: clientId, token: text, ...changes }),
      headers: asForm,
    })
  /** The status of a call with this access token. */
  const calls = async (accessToken: string) => (await api.call('GET', '/v1/context', { token: accessToken })).status
  const connections = async () => (await own.asOwner('GET', '/connections')).json.data as Connection[]
  /** All steps. Returns the tokens and the connection's id. */
  async function connect(body: object = {}): Promise<Tokens & { connection: string }> {
    const before = new Set((await connections()).map(({ id }) => id))
    const { status, json, text } = await exchange((await allowed(body)).code)
    expect(status, text).toBe(200)
    return { ...json, connection: (await connections()).find(({ id }) => !before.has(id))!.id }
  }
  return {
    ...{ clientId, resource, newAgent, authorize, ask, allow, allowed, token, exchange, refresh, revoke, calls },
    ...{ connections, connect },
  }
}
export type ConnectingApp = Awaited<ReturnType<typeof createConnectingApp>>
