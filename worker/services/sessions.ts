import type { Deps } from '../appEnv.ts'
import type { UserRow } from '../db/accounts.ts'
import type { Db } from '../db/session.ts'
import * as sessions from '../db/sessions.ts'
import { AppError } from '../errors.ts'
import { directoryOf, normalEmail } from '../identity/directory.ts'
import { newId, newSecret, sha256 } from '../identity/secrets.ts'
import { signUserTokens } from '../identity/tokens.ts'
import type { LoginReply, Tokens, User } from '../schemas/account.ts'
import { admitAttempt, admitTraffic, attemptKey, forgetAttempts, isKnownAddress, rememberAddress } from './attempts.ts'
import { refuseCommonPassword } from './passwordRules.ts'

const sessionMs = 30 * 24 * 60 * 60_000 // 30 days, however often it is refreshed
const refreshTokenMs = 7 * 24 * 60 * 60_000 // 7 days without use
/** Two tabs may refresh with the same token; later than this it is a stolen one, or the victim's. */
export const refreshGraceMs = 30_000 // 30 seconds
const challengeMs = 3 * 60_000 // 3 minutes
const maxWrongPerAddress = 5
const maxPerAddress = 1000
const maxPerAccount = 100

export function asUser(row: UserRow): User {
  const needsOnboarding = row.name === null || row.status === 'FORCE_CHANGE_PASSWORD'
  const { id, email, name, publicAddress } = row
  const createdAt = new Date(row.createdAt).toISOString()
  return { id, email, name, publicAddress, needsOnboarding, hasCompletedOnboarding: !needsOnboarding, createdAt }
}

/**
 * `address` is the caller's network address, for the limits in 15 minutes: five wrong passwords per account and address,
 * and 100 sign-ins per account from addresses that never succeeded. So a crowd of strangers cannot guess on, and cannot
 * keep the owner out either.
 */
export async function login(
  deps: Deps,
  input: { email: string; password: string },
  address: string,
): Promise<LoginReply> {
  const { db } = deps
  const email = normalEmail(input.email)
  const now = deps.now()
  const key = attemptKey('login', email, address)
  await admitAttempt(db, key, maxWrongPerAddress, now)
  // One address trying many accounts costs us a password hash each time.
  const addressKey = attemptKey('login-address', address)
  await admitTraffic(db, addressKey, maxPerAddress, now)
  if (!(await isKnownAddress(db, email, address, now)))
    await admitTraffic(db, attemptKey('login-account', email), maxPerAccount, now)
  const result = await directoryOf(deps).signIn(email, input.password)
  if (result.outcome === 'refused')
    throw new AppError('unauthenticated', 'Login failed. Please check your credentials.', { field: 'password' })
  await forgetAttempts(db, key)
  if (result.outcome === 'unconfirmed')
    throw new AppError('forbidden', 'Please confirm your email address first. The code is in our email to you.', {
      field: 'email',
    })
  await rememberAddress(db, email, address, now)
  if (result.outcome === 'signed_in') return openSession(deps, result.user)

  const session = `${newSecret()}.${result.proof}`
  await sessions.putChallenge(db, sha256(session), result.user.id, now + challengeMs)
  return { challengeName: 'NEW_PASSWORD_REQUIRED', session, email }
}

/** Answers a NEW_PASSWORD_REQUIRED challenge. The challenge is gone afterwards, whatever comes of it. */
export async function answerChallenge(
  deps: Deps,
  input: { email: string; session: string; newPassword: string },
): Promise<Tokens & { user: User }> {
  refuseCommonPassword(input.newPassword, 'newPassword')
  const over = new AppError('gone', 'This sign-in took too long. Please sign in again.')
  const user = await sessions.takeChallenge(deps.db, sha256(input.session), normalEmail(input.email), deps.now())
  if (!user) throw over
  const proof = input.session.slice(input.session.indexOf('.') + 1)
  const changed = await directoryOf(deps).answerChallenge(user, proof, input.newPassword)
  if (!changed) throw over
  await endOtherSessions(deps, changed.id, null)
  return openSession(deps, changed)
}

/** Trade a refresh token for new tokens. A token used again after the grace period ends its whole session. */
export async function refresh(deps: Deps, token: string): Promise<Tokens & { user: User }> {
  const { env, db } = deps
  const now = deps.now()
  const over = new AppError('unauthenticated', 'Session expired. Please sign in again.')
  const oldHash = sha256(token)
  const found = await sessions.findRefreshToken(db, oldHash)
  if (!found || found.session.revokedAt !== null) throw over
  const { session, user } = found
  if (found.token.replacedAt !== null && now - found.token.replacedAt > refreshGraceMs) {
    await sessions.revokeSession(db, session.id, now)
    open.delete(session.id)
    console.warn('refresh token reused; session ended', session.id)
    throw over
  }
  if (found.token.expiresAt <= now || session.expiresAt <= now) throw over

  const refreshToken = newSecret('br_')
  const expiresAt = Math.min(now + refreshTokenMs, session.expiresAt)
  await sessions.replaceRefreshToken(db, {
    oldHash,
    newHash: sha256(refreshToken),
    sessionId: session.id,
    now,
    expiresAt,
  })
  return { ...(await signUserTokens(env, user, session.id, now)), refreshToken, user: asUser(user) }
}

/** Ends the session that the token belongs to, with its whole family. One that nobody knows is as good as ended. */
export async function signOut(deps: Deps, token: string): Promise<void> {
  const found = await sessions.findRefreshToken(deps.db, sha256(token))
  if (!found) return
  await sessions.endSession(deps.db, found.session.id, deps.now())
  open.delete(found.session.id)
}

/** Of a user whose password or code was right. */
export async function openSession(
  deps: Pick<Deps, 'env' | 'db' | 'now'>,
  user: UserRow,
): Promise<Tokens & { user: User }> {
  const { env, db } = deps
  const now = deps.now()
  const sessionId = newId('session')
  const refreshToken = newSecret('br_')
  const tokens = await signUserTokens(env, user, sessionId, now)
  await sessions.insertSession(db, {
    sessionId,
    userId: user.id,
    tokenHash: sha256(refreshToken),
    now,
    expiresAt: now + sessionMs,
    tokenExpiresAt: now + refreshTokenMs,
  })
  return { ...tokens, refreshToken, user: asUser(user) }
}

/** Every session of the user but `keepSessionId` ends: at once here, within 30 seconds in other isolates. */
export async function endOtherSessions(deps: Deps, userId: string, keepSessionId: string | null): Promise<void> {
  const ended = await sessions.revokeOtherSessions(deps.db, userId, keepSessionId, deps.now())
  for (const sessionId of ended) open.delete(sessionId)
}

// Spares D1 a read on most calls. A revoked session may live 30 seconds longer in another isolate.
const open = new Map<string, number>()
const openMs = 30_000 // 30 seconds

export async function sessionStillOpen(db: Db, sessionId: string, userId: string, now: number): Promise<boolean> {
  if ((open.get(sessionId) ?? 0) > now) return true
  const is = await sessions.sessionIsOpen(db, sessionId, userId, now)
  if (open.size >= 10_000) open.clear()
  if (is) open.set(sessionId, now + openMs)
  else open.delete(sessionId)
  return is
}
