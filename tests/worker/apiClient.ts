/// <reference types="@cloudflare/vitest-plugin/types" />
import { applyD1Migrations, createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { expect } from 'vitest'
import { demo, seedSql } from '../../local/stack/seed.ts'
import { createApp } from '../../worker/app.ts'
import { openDb } from '../../worker/db/d1.ts'
import type { UserRow } from '../../worker/db/schema.ts'
import { insertUser } from '../../worker/db/users.ts'
import type { Env } from '../../worker/env.ts'
import { derive, hashPassword } from '../../worker/identity/passwords.ts'
import { newId } from '../../worker/identity/secrets.ts'
import { openLoginSession } from '../../worker/services/loginSessions.ts'
import { env } from '../support/testEnv.ts'

export { env }
export const passcode = demo.signupPasscode

export type Options = {
  body?: unknown
  /** Sent verbatim instead of `body`. */
  raw?: string
  token?: string
  /** Idempotency-Key. */
  key?: string
  headers?: Record<string, string>
  /** The caller's network address. */
  from?: string
  /** Where the caller is, as the network reports it. */
  cf?: { continent?: string; country?: string; longitude?: string }
  /** The origin that the caller asked for. */
  at?: string
  env?: Partial<Env>
}
// biome-ignore lint/suspicious/noExplicitAny: tests read replies of any shape
type Answer = { status: number; headers: Headers; text: string; json: any }

/** The app as a client sees it, with its own clock that only the test moves. */
export function createApi(changes: Partial<Env> = {}) {
  const clock = { now: Date.UTC(2026, 10, 20, 12) }
  const app = createApp({ now: () => clock.now })

  async function call(method: string, path: string, options: Options = {}): Promise<Answer> {
    const { body, raw, token, key, headers = {}, cf, from = '192.0.2.1', at = 'http://localhost:3001' } = options
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const init = {
      method,
      headers: {
        'cf-connecting-ip': from,
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
      ...(cf && { cf }),
    }
    const context = createExecutionContext()
    const response = await app.request(`${at}${path}`, init, { ...env, ...changes, ...options.env }, context)
    const text = await response.text()
    await waitOnExecutionContext(context)
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const json = isJson && text !== '' ? JSON.parse(text) : null
    if (path.startsWith('/api/')) expectSessionWording(response.status, json)
    return { status: response.status, headers: response.headers, text, json }
  }
  return { clock, call }
}
export type Api = ReturnType<typeof createApi>

/** On a 401 or 403 the SPA signs out if the error has one of these words: session problems must, other errors must not. */
function expectSessionWording(status: number, json: { error: string; code: string; field?: string }) {
  if (status !== 401 && status !== 403) return
  const isSessionProblem = json.code === 'unauthenticated' && json.field === undefined
  expect(/token|authentication|unauthorized|expired/i.test(json.error), json.error).toBe(isSessionProblem)
}

/** An empty database with the rows of local/stack/seed.ts: the demo user and the signup passcode. */
export async function seed() {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  seedRows ??= await seedSql(env)
  for (const statement of seedRows.split(/;\n|;$/).filter(Boolean)) await env.DB.prepare(statement).run()
}
/** Created once, because hashing its password is slow. */
let seedRows: string | undefined

/** The texts of the mails to `email`, newest first. */
export async function mailsTo(email: string): Promise<string[]> {
  const query = env.DB.prepare('SELECT text FROM dev_inbox WHERE recipient = ? ORDER BY at DESC, rowid DESC').bind(
    email,
  )
  return (await query.all<{ text: string }>()).results.map(({ text }) => text)
}

/** The six digits of the newest mail. */
export async function mailedCode(email: string): Promise<string> {
  const code = /^[0-9]{6}$/m.exec((await mailsTo(email))[0] ?? '')?.[0]
  if (!code) throw new Error(`no code in the newest mail to ${email}`)
  return code
}

/** The token of the link in the newest mail. It travels in the fragment, which browsers never send. */
export async function mailedLinkToken(email: string): Promise<string> {
  const token = /#token=([A-Za-z0-9_-]+)$/m.exec((await mailsTo(email))[0] ?? '')?.[1]
  if (!token) throw new Error(`no link in the newest mail to ${email}`)
  return token
}

let people = 0
export const newEmail = () => `person${++people}@bursar.test`

/** Signs up and returns the temporary password from the mail. */
export async function signedUp(api: Api, email = newEmail(), name = 'Ann') {
  const answer = await api.call('POST', '/api/users', { body: { email, name, signupPasscode: passcode } })
  expect(answer.status, answer.text).toBe(201)
  const inbox = await api.call('GET', `/dev/inbox?to=${encodeURIComponent(email)}`, {
    headers: { accept: 'application/json' },
    env: { ENVIRONMENT: 'local' },
  })
  const password = /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/m.exec(inbox.json[0].text)?.[0]
  if (!password) throw new Error('no temporary password in the mail')
  return { email, password }
}

/** Calls the API for signing up and in. */
export const auth = (api: Api, call: string, body: unknown, from?: string) =>
  api.call('POST', `/api/auth/cognito/${call}`, { body, ...(from ? { from } : {}) })

export const refresh = (api: Api, refreshToken: unknown) => auth(api, 'refresh', { refreshToken })

export const login = (api: Api, email: string, password: string, from?: string) =>
  auth(api, 'login', { email, password }, from)

/** Exchanges an agent's credentials for an access token. */
export async function accessToken(
  api: Api,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  parameters: { resource?: string; scope?: string } = {},
): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...parameters }
  const raw = new URLSearchParams(form).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await api.call('POST', '/oauth/token', { raw, headers })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.access_token
}

/**
 * A signed-in user with a chosen password, created below the API: signing up and in costs three password hashes of 0.2
 * seconds each, and many tests need a user. accounts.test.ts goes through the API.
 */
export async function createUser(api: Api, password = 'correct horse battery') {
  const { db } = openDb(env.DB)
  const at = api.clock.now
  const row: UserRow = {
    id: newId('user'),
    email: newEmail(),
    name: 'Ann',
    status: 'CONFIRMED',
    passwordHash: await hashOf(password),
    temporarySince: null,
    publicAddress: null,
    createdAt: at,
    updatedAt: at,
    passwordAt: at,
    region: null,
  }
  await insertUser(db, row)
  const { accessToken, refreshToken } = await openLoginSession({ env, db, now: () => at }, row)
  /** Calls the API of the dashboard. */
  const asOwner = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api${path}`, { token: accessToken, body })
  return { email: row.email, password, token: accessToken, refreshToken, id: row.id, asOwner }
}

/** An app and a signed-in user of it. */
export async function createApiAndUser() {
  const api = createApi()
  return { api, user: await createUser(api) }
}

const hashes = new Map<string, Promise<string>>()
function hashOf(password: string): Promise<string> {
  const made = hashes.get(password) ?? hashPassword(password, env.PASSWORD_PEPPER)
  hashes.set(password, made)
  return made
}

/** Stores a cheap hash, as from an old release: at the current cost a hundred guesses take 20 seconds. */
export async function makeGuessingCheap(email: string, password: string): Promise<void> {
  const salt = Buffer.alloc(16, 7)
  const key = await derive(password, env.PASSWORD_PEPPER, { ln: 1, r: 1, p: 1, salt })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const stored = `$scrypt$ln=1,r=1,p=1$${text(salt)}$${text(key)}`
  await env.DB.prepare('UPDATE user SET password_hash = ? WHERE email = ?').bind(stored, email).run()
}
