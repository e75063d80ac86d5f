import type { BatchItem } from 'drizzle-orm/batch'
import { dayMs, isoOf } from '#domain/time.ts'
import type { LoginReply, Tokens, User } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import { keepAccount } from '../backup/accounts.ts'
import * as sessions from '../db/loginSessions.ts'
import type { UserRow } from '../db/schema.ts'
import { placing } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { directoryFrom } from '../identity/directoryFrom.ts'
import { endOtherLoginSessions, syncEndedSessions, tellTreasury } from '../identity/endSessions.ts'
import { newId, newSecret, sha256 } from '../identity/secrets.ts'
import { newRefreshToken, sessionOfRefreshToken } from '../identity/signed.ts'
import { signUserTokens } from '../identity/tokens.ts'
import { logWarning } from '../observability/log.ts'
import { admitSignIn } from './attemptLimits.ts'
import { refuseCommonPassword } from './passwords.ts'

const sessionMs = 30 * dayMs // regardless of refreshes
const refreshTokenMs = 7 * dayMs // 7 days without use
const challengeMs = 3 * 60_000 // 3 minutes

export function asUser(row: UserRow): User {
  const passwordIsTemporary = row.status === 'FORCE_CHANGE_PASSWORD'
  const needsOnboarding = row.name === null || passwordIsTemporary
  const { id, email, name, publicAddress } = row
  const createdAt = isoOf(row.createdAt)
  const hasCompletedOnboarding = !needsOnboarding
  return { id, email, name, publicAddress, needsOnboarding, hasCompletedOnboarding, passwordIsTemporary, createdAt }
}

/** `address` is the caller's network address. Two round trips to D1, with the Treasury asked in between. */
export async function login(
  deps: Deps,
  input: { email: string; password: string; connectionRequest?: string | undefined },
  address: string,
): Promise<LoginReply> {
  const { email, password, connectionRequest } = input
  let ifRight: BatchItem<'sqlite'>[] = []
  const result = await directoryFrom(deps).signIn(email, password, async (...reads) => {
    const admitted = await admitSignIn(deps, email, address, reads)
    ifRight = admitted.ifRight
    return admitted.rows
  })
  if (result.outcome === 'refused')
    throw new AppError('unauthenticated', 'Login failed. Please check your credentials.', { field: 'password' })
  // Anyone can sign up any address, so the password of a sign-up must not reset the counts of its account.
  if (result.outcome === 'unconfirmed')
    throw new AppError('forbidden', 'Please confirm your email address first. The code is in our email to you.', {
      field: 'email',
    })
  const { user } = result
  const place = user.region === null && deps.region ? [placing(deps.db, user.id, deps.region)] : []
  const also = [...ifRight, ...place]
  if (result.outcome === 'signed_in') return openLoginSession(deps, user, { also, connectionRequest })

  const session = `${newSecret()}.${result.proof}`
  const challenge = { hash: sha256(session), userId: user.id, expiresAt: deps.now() + challengeMs }
  await sessions.putLoginChallenge(deps.db, challenge, also)
  return { challengeName: 'NEW_PASSWORD_REQUIRED', session, email }
}

/** Completes a NEW_PASSWORD_REQUIRED challenge, which is consumed even if this fails. */
export async function answerChallenge(
  deps: Deps,
  input: { email: string; session: string; newPassword: string; connectionRequest?: string | undefined },
): Promise<Tokens & { user: User }> {
  refuseCommonPassword(input.newPassword, 'newPassword')
  const expired = new AppError('gone', 'This sign-in took too long. Please sign in again.')
  const { email } = input
  const user = await sessions.takeLoginChallenge(deps.db, sha256(input.session), email, deps.now())
  if (!user) throw expired
  await syncEndedSessions(deps, user.id)
  const proof = input.session.slice(input.session.indexOf('.') + 1)
  const changed = await directoryFrom(deps).answerChallenge(user, proof, input.newPassword)
  if (!changed) throw expired
  await endOtherLoginSessions(deps, changed.id, null)
  return openLoginSession(deps, changed, { connectionRequest: input.connectionRequest })
}

/**
 * Exchanges a refresh token for new tokens. The whole session ends if the token is used again after the grace period, used a
 * third time, or if one successor is used after the other was exchanged. The row of a spent token is deleted after it
 * (db/retention.ts); its signature still identifies the session.
 */
export async function refresh(deps: Deps, token: string): Promise<Tokens & { user: User }> {
  const { env, db } = deps
  const now = deps.now()
  const expired = new AppError('unauthenticated', 'Session expired. Please sign in again.')
  const sessionId = sessionOfRefreshToken(env, token)
  if (sessionId === null) throw expired
  const refreshToken = newRefreshToken(env, sessionId, now)
  const { found, isExchanged } = await sessions.replaceRefreshToken(db, {
    oldHash: sha256(token),
    newHash: sha256(refreshToken),
    sessionId,
    now,
    expiresAt: now + refreshTokenMs,
  })
  if (found && isExchanged) {
    const { user } = found
    return { ...(await signUserTokens(env, user, sessionId, now)), refreshToken, user: asUser(user) }
  }
  // A repeat tells the Treasury of a session that has been revoked already.
  if (!found || found.session.revokedAt !== null || isStolen(found, now)) await endStolenSession(deps, sessionId)
  throw expired
}

type FoundToken = NonNullable<Awaited<ReturnType<typeof sessions.replaceRefreshToken>>['found']>

/** Whether a token that was not exchanged had been used before, rather than ended with time or with its session. */
function isStolen({ token, session }: FoundToken, now: number): boolean {
  if (session.revokedAt !== null) return false
  const isReused = token.replacedAt !== null && now - token.replacedAt > sessions.refreshGraceMs
  return isReused || (token.expiresAt > now && session.expiresAt > now)
}

async function endStolenSession(deps: Deps, sessionId: string): Promise<void> {
  const { isRevoked, ended } = await sessions.revokeLoginSession(deps.db, sessionId, deps.now())
  if (isRevoked) logWarning('refresh_token_reused', { session: sessionId })
  await tellTreasury(deps, ended[0]?.userId, ended)
}

/** Ends the session of this refresh token with all its tokens. Does nothing for a token that we did not issue. Repeatable. */
export async function signOut(deps: Deps, token: string): Promise<void> {
  const sessionId = sessionOfRefreshToken(deps.env, token)
  if (sessionId === null) return
  const ended = await sessions.endLoginSession(deps.db, sessionId, deps.now())
  await tellTreasury(deps, ended[0]?.userId, ended)
}

/**
 * Opens a session for a user whose password or code was right. Runs `also` in the same round trip. `connectionRequest`: the app's
 * request for which the person signed in.
 */
export async function openLoginSession(
  deps: Pick<Deps, 'env' | 'db' | 'now'> & Partial<Pick<Deps, 'runInBackground'>>,
  user: UserRow,
  options: { also?: BatchItem<'sqlite'>[]; connectionRequest?: string | undefined } = {},
): Promise<Tokens & { user: User }> {
  const { env, db } = deps
  const now = deps.now()
  const sessionId = newId('session')
  const refreshToken = newRefreshToken(env, sessionId, now)
  const tokens = await signUserTokens(env, user, sessionId, now)
  const session = {
    sessionId,
    userId: user.id,
    tokenHash: sha256(refreshToken),
    now,
    expiresAt: now + sessionMs,
    tokenExpiresAt: now + refreshTokenMs,
    connectionRequestId: options.connectionRequest ?? null,
  }
  await sessions.insertLoginSession(db, session, options.also)
  deps.runInBackground?.(keepAccount(env, db, user.id))
  return { ...tokens, refreshToken, user: asUser(user) }
}
