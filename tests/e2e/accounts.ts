/** Creates accounts and stores their sessions in a browser. */
import { randomUUID } from 'node:crypto'
import type { BrowserContext } from '@playwright/test'
import type { BursarClient } from '../../local/client.ts'
import { demo } from '../../local/stack/seed.ts'
import { type Session, takeAccount, withFreshTokens } from '../support/readyAccounts.ts'

export const login = (bursar: BursarClient, email: string, password: string) => bursar.signIn(email, password)

/** Stores the session where the pages look for it. */
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
    // Once per tab, and neither in the blank page that a tab starts with nor in a sandboxed frame, which has no storage.
    if (!location.protocol.startsWith('http') || origin === 'null' || sessionStorage.getItem('begun')) return
    sessionStorage.setItem('begun', 'true')
    for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value)
  }, entries)
}

/** Signs up by passcode. Returns the email address and the temporary password from the email. */
export async function signUpByPasscode(bursar: BursarClient): Promise<{ email: string; password: string }> {
  const email = `ada-${randomUUID().slice(0, 8)}@bursar.test`
  await bursar.api('/users', { body: { email, name: 'Ada', signupPasscode: demo.signupPasscode } })
  const [, password] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
  return { email, password: password! }
}

const stackOf = (bursar: BursarClient) => ({ bursar, stateDir: process.env.BURSAR_STATE! })

/** Returns the account with new tokens, valid for 15 minutes. A refresh in one test would end the session of all others. */
export async function withFreshSession<T extends { session: Session; token: string }>(
  bursar: BursarClient,
  account: T,
): Promise<T> {
  const session = await withFreshTokens(stackOf(bursar), account.session)
  return { ...account, session, token: session.accessToken }
}

export type Account = Awaited<ReturnType<typeof createAccount>>

/**
 * An account that no other test uses, already set up. `keep` stores its session in a browser; `accessToken` returns a token
 * for the API. Both are valid for 15 minutes from the call.
 */
export async function createAccount(bursar: BursarClient) {
  const account = await takeAccount(stackOf(bursar))
  const fresh = () => withFreshTokens(stackOf(bursar), account.session)
  return {
    ...account,
    keep: async (context: BrowserContext) => keepSession(context, await fresh()),
    accessToken: async () => (await fresh()).accessToken,
  }
}
