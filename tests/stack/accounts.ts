/**
 * Accounts that every stack of the tests begins with, set up and signed in: made through the API each costs three
 * password hashes of 0.2 seconds, and most tests want one. tests/e2e/account.spec.ts and path.spec.ts go the whole way.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BursarClient } from '../../scripts/demoClient.ts'
import { type LocalSecrets, readSecrets } from '../../scripts/secrets.ts'
import { hashPassword } from '../../worker/identity/passwords.ts'
import { sha256 } from '../../worker/identity/secrets.ts'
import { signUserTokens } from '../../worker/identity/tokens.ts'
import type { User } from '../../worker/schemas/account.ts'

const password = 'difference-engine-2'
const count = 200
const madeAt = Date.UTC(2026, 0)
const never = Date.UTC(2100, 0) // their sessions end

/** A running stack: where it answers, and where it keeps its state. */
export type Running = { bursar: BursarClient; stateDir: string }

const idOf = (i: number) => `user_ready${i}`
const sessionOf = (i: number) => `session_ready${i}`
const emailOf = (i: number) => `ready${i}@bursar.test`
const refreshTokenOf = (i: number) => `br_ready${i}`
const name = 'Eve'

/** Those that are there already stay. The Worker must not run. */
export async function addAccounts(stateDir: string): Promise<void> {
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
    session.run(sessionOf(i), idOf(i), madeAt, never)
    refreshToken.run(sha256(refreshTokenOf(i)), sessionOf(i), madeAt, never)
  }
  database.exec('COMMIT')
  database.close()
}

/** One that nobody else takes, in whichever process, with its session as a sign-in answers it. */
export async function takeAccount({ bursar, stateDir }: Running) {
  const i = takeNumber(join(stateDir, 'taken'))
  const secrets = readSecrets(join(stateDir, 'secrets.env')) as LocalSecrets
  const [id, email] = [idOf(i), emailOf(i)]
  const env = { API_ORIGIN: bursar.url, JWT_PRIVATE_JWK: secrets.JWT_PRIVATE_JWK }
  const tokens = await signUserTokens(env, { id, email, name }, sessionOf(i), Date.now())
  const user: User = {
    id,
    email,
    name,
    publicAddress: null,
    needsOnboarding: false,
    hasCompletedOnboarding: true,
    createdAt: new Date(madeAt).toISOString(),
  }
  return { email, password, session: { ...tokens, refreshToken: refreshTokenOf(i), user } }
}

function takeNumber(folder: string): number {
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

/** The stack's D1, past wrangler, which takes seconds. The Worker must not run. */
export function openDatabase(stateDir: string): DatabaseSync {
  const folder = join(stateDir, 'worker/v3/d1/miniflare-D1DatabaseObject')
  const file = readdirSync(folder).find((entry) => entry.endsWith('.sqlite') && !entry.startsWith('metadata'))!
  return new DatabaseSync(join(folder, file))
}
