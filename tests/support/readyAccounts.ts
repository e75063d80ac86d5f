/**
 * Accounts that exist in every test stack, set up and signed in. Creating one through the API costs three password hashes
 * of 0.2 seconds, and most tests need one. tests/e2e/account.spec.ts and path.spec.ts sign up through the screens.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decodeJwt } from 'jose'
import type { User } from '#schemas/account.ts'
import type { BursarClient } from '../../local/client.ts'
import { type LocalSecrets, readSecrets } from '../../local/stack/secrets.ts'
import { hashPassword } from '../../worker/identity/passwords.ts'
import { sha256 } from '../../worker/identity/secrets.ts'
import { newRefreshToken } from '../../worker/identity/signed.ts'
import { signUserTokens } from '../../worker/identity/tokens.ts'

const password = 'difference-engine-2'
/** Accounts of a test stack, unless a test adds more. */
const usual = 200
const madeAt = Date.UTC(2026, 0)
const sessionsEndAt = Date.UTC(2100, 0)

export type RunningStack = { bursar: BursarClient; stateDir: string }
/** The API's reply to a sign-in. */
export type Session = { accessToken: string; idToken: string; refreshToken: string; expiresIn: number; user: User }

const idOf = (i: number | '%') => `user_ready${i}`
const sessionOf = (i: number) => `session_ready${i}`
const emailOf = (i: number) => `ready${i}@bursar.test`
const refreshTokenOf = (secrets: LocalSecrets, i: number) =>
  newRefreshToken(secrets, sessionOf(i), madeAt, `br_ready${i}`)
const name = 'Eve'

/**
 * Adds the accounts that do not exist yet. The Worker must not be running. Unlike other accounts, they are not in the bucket
 * from which D1 can be rebuilt until their email, name or password changes.
 */
export async function addAccounts(stateDir: string, count = usual): Promise<void> {
  const secrets = readSecrets(join(stateDir, 'secrets.env')) as LocalSecrets
  const hash = await hashPassword(password, secrets.PASSWORD_PEPPER)
  const database = openDatabase(stateDir)
  const insert = (table: string, columns: string) =>
    database.prepare(`INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`)
  const user = insert('user', 'id, email, name, status, password_hash, created_at, updated_at')
  const session = insert('session', 'id, user_id, created_at, expires_at')
  const refreshToken = insert('refresh_token', 'hash, session_id, created_at, expires_at')
  database.exec('BEGIN')
  for (let i = 0; i < count; i++) {
    user.run(idOf(i), emailOf(i), name, 'CONFIRMED', hash, madeAt, madeAt)
    session.run(sessionOf(i), idOf(i), madeAt, sessionsEndAt)
    refreshToken.run(sha256(refreshTokenOf(secrets, i)), sessionOf(i), madeAt, sessionsEndAt)
  }
  // Otherwise the first cron run of every stack would create a Treasury for each, which blocks workerd for ten seconds.
  database.exec(`DELETE FROM account_to_keep WHERE user_id LIKE '${idOf('%')}'`)
  database.exec('COMMIT')
  database.close()
}

/** Takes one of `count` accounts, with its session, that no other test of any process uses. Throws if all are taken. */
export async function takeAccount(stack: RunningStack, count = usual) {
  const i = takeNumber(join(stack.stateDir, 'taken'), count)
  const [id, email] = [idOf(i), emailOf(i)]
  const user: User = {
    id,
    email,
    name,
    publicAddress: null,
    needsOnboarding: false,
    hasCompletedOnboarding: true,
    passwordIsTemporary: false,
    createdAt: new Date(madeAt).toISOString(),
  }
  const secrets = readSecrets(join(stack.stateDir, 'secrets.env')) as LocalSecrets
  const session = { ...(await signTokens(stack, user, sessionOf(i))), refreshToken: refreshTokenOf(secrets, i), user }
  return { email, password, session }
}

/**
 * Returns the session with newly signed tokens. Tests that share a session need this, because its refresh token works only
 * once, and using it a second time ends the session.
 */
export async function withFreshTokens(stack: RunningStack, session: Session): Promise<Session> {
  const { sid } = decodeJwt<{ sid: string }>(session.accessToken)
  return { ...session, ...(await signTokens(stack, session.user, sid)) }
}

function signTokens({ bursar, stateDir }: RunningStack, user: User, sessionId: string) {
  const { JWT_PRIVATE_JWK } = readSecrets(join(stateDir, 'secrets.env')) as LocalSecrets
  return signUserTokens({ API_ORIGIN: bursar.url, JWT_PRIVATE_JWK }, user, sessionId, Date.now())
}

function takeNumber(folder: string, count: number): number {
  mkdirSync(folder, { recursive: true })
  for (let i = readdirSync(folder).length; i < count; i++)
    try {
      writeFileSync(join(folder, String(i)), '', { flag: 'wx' })
      return i
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  throw new Error(`all ${count} accounts of this stack are taken: raise the number`)
}

/** Opens the stack's D1 without wrangler, which would take seconds. The Worker must not be running. */
export function openDatabase(stateDir: string): DatabaseSync {
  const folder = join(stateDir, 'worker/v3/d1/miniflare-D1DatabaseObject')
  const file = readdirSync(folder).find((entry) => entry.endsWith('.sqlite') && !entry.startsWith('metadata'))!
  return new DatabaseSync(join(folder, file))
}
