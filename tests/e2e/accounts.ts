/** Accounts made through the API, and how a browser comes to have their sessions. */
import { randomUUID } from 'node:crypto'
import type { BrowserContext } from '@playwright/test'
import type { BursarClient } from '../../scripts/demoClient.ts'
import { demo } from '../../scripts/seed.ts'
import type { LoginReply } from '../../worker/schemas/account.ts'
import { takeAccount } from '../stack/accounts.ts'

export type Session = Awaited<ReturnType<typeof login>>

export async function login(bursar: BursarClient, email: string, password: string) {
  const reply = await bursar.api<LoginReply>('/auth/cognito/login', { body: { email, password } })
  if (!('accessToken' in reply)) throw new Error('the sign-in asked for a new password')
  return reply
}

/** Leaves the session where the pages look for it. */
export async function keepSession(context: BrowserContext, session: Session): Promise<void> {
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

export type Account = Awaited<ReturnType<typeof anAccount>>

/** An account that is set up, nobody else's: its sign-in, its session, and how a browser comes to have that session. */
export async function anAccount(bursar: BursarClient) {
  const account = await takeAccount({ bursar, stateDir: process.env.BURSAR_STATE! })
  return { ...account, keep: (context: BrowserContext) => keepSession(context, account.session) }
}
