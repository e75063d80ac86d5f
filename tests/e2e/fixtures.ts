/** What every browser test stands on: a client of the API, a furnished account, and a watch over the browser. */
import { randomUUID } from 'node:crypto'
import { type BrowserContext, test as base, expect } from '@playwright/test'
import { BursarClient } from '../../scripts/demoClient.ts'
import { demo } from '../../scripts/seed.ts'
import type { LoginReply } from '../../worker/schemas/account.ts'
import type { Household } from './household.ts'

export { expect }

type Watch = {
  /** Watches another context as the test's own is watched. */
  over(context: BrowserContext): Promise<void>
  /** Every URL asked for so far. */
  requests: string[]
}

export const test = base.extend<
  { tolerated: RegExp | null; watch: Watch },
  { bursar: BursarClient; household: Household }
>({
  /** Console errors that a test brings about on purpose, such as a refusal's status. */
  tolerated: [null, { option: true }],

  /** Fails the test on any console error, uncaught error, breach of the content security policy, or foreign request. */
  watch: [
    async ({ context, tolerated, baseURL }, use) => {
      const problems: string[] = []
      const requests: string[] = []
      const over = async (watched: BrowserContext) => {
        watched.on('console', (message) => {
          if (message.type() === 'error') problems.push(`console: ${message.text()}`)
        })
        watched.on('weberror', (error) => problems.push(`uncaught: ${error.error()}`))
        watched.on('request', (request) => {
          requests.push(request.url())
          if (/^(http|ws)/.test(request.url()) && new URL(request.url()).origin !== baseURL)
            problems.push(`foreign request: ${request.url()}`)
        })
        await watched.addInitScript(() => {
          addEventListener('securitypolicyviolation', (event) => {
            console.error(
              `CSP ${event.violatedDirective}: ${event.blockedURI} at ${event.sourceFile}:${event.lineNumber}`,
            )
          })
        })
      }
      await over(context)
      await use({ over, requests })
      expect(problems.filter((problem) => !tolerated?.test(problem))).toEqual([])
    },
    { auto: true },
  ],

  bursar: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies from the pattern
    async ({}, use) => {
      await use(new BursarClient(process.env.BURSAR_URL!, process.env.BURSAR_RPC!))
    },
    { scope: 'worker' },
  ],

  household: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      await use(JSON.parse(process.env.BURSAR_HOUSEHOLD!))
    },
    { scope: 'worker' },
  ],
})

/** Signs in as the demo user through the API and leaves the session where the pages look for it. */
export async function beSignedIn(context: BrowserContext, bursar: BursarClient): Promise<void> {
  await keepSession(context, await login(bursar, demo.email, demo.password))
}

export async function login(bursar: BursarClient, email: string, password: string) {
  const reply = await bursar.api<LoginReply>('/auth/cognito/login', { body: { email, password } })
  if (!('accessToken' in reply)) throw new Error('the sign-in asked for a new password')
  return reply
}

export async function keepSession(context: BrowserContext, session: Awaited<ReturnType<typeof login>>): Promise<void> {
  const expiry = String(Date.now() + session.expiresIn * 1000)
  const entries = {
    auth_token: session.accessToken,
    auth_user: JSON.stringify(session.user),
    token_expiry: expiry,
    cognito_access_token: session.accessToken,
    cognito_id_token: session.idToken,
    cognito_refresh_token: session.refreshToken,
    cognito_token_expiry: expiry,
  }
  await context.addInitScript((stored) => {
    // Only once, and not in the blank page that every tab starts with.
    if (!location.protocol.startsWith('http') || sessionStorage.getItem('begun')) return
    sessionStorage.setItem('begun', 'true')
    for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value)
  }, entries)
}

/** A new account: its address and the temporary password from its mail. */
export async function aSignUp(bursar: BursarClient): Promise<{ email: string; password: string }> {
  const email = `ada-${randomUUID().slice(0, 8)}@bursar.test`
  await bursar.api('/users', { body: { email, name: 'Ada', signupPasscode: demo.signupPasscode } })
  const [, password] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
  return { email, password: password! }
}

/** A new account that is set up: its sign-in, its session, and how a browser comes to have that session. */
export async function anAccount(bursar: BursarClient) {
  const password = 'difference-engine-2'
  const { email, password: temporary } = await aSignUp(bursar)
  const { accessToken } = await login(bursar, email, temporary)
  await bursar.api('/users/complete-onboarding', { token: accessToken, body: { name: 'Eve', password } })
  const session = await login(bursar, email, password)
  return { email, password, session, keep: (context: BrowserContext) => keepSession(context, session) }
}
