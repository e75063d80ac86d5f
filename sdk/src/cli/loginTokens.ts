import { BursarOutcomeUnknown, BursarSignedOut } from '../errors.ts'
import { type Login, type LoginFile, loginOf } from './loginFile.ts'
import { type OAuthReply, postForm, refusedForm } from './oauth.ts'
import type { Clock } from './shell.ts'

/** How long a renewal is repeated. For a minute the same exchange gets the same tokens, in case the reply was lost. */
const retryForMs = 20_000 // 20 seconds
const pauseMs = 1_000 // 1 second

export const signedOut = () =>
  new BursarSignedOut('no_credentials', 'You are signed out. Run bursar login, or set BURSAR_API_KEY.')

/**
 * Access tokens of the login, for the SDK. Commands that run at once share the file: each reads it again before it renews the
 * token, and after a renewal that was refused, because another one may have been first.
 */
export function loginTokens(file: LoginFile, clock: Clock) {
  return async ({ rejected, signal }: { rejected?: string | undefined; signal: AbortSignal }): Promise<string> => {
    const deadline = clock.now() + retryForMs
    let refused: string | undefined
    for (;;) {
      const login = file.read()
      if (!login) throw signedOut()
      if (login.accessToken !== rejected && clock.now() < login.freshUntil) return login.accessToken
      if (login.refreshToken === refused) return giveUp(file)
      const outcome = await renew(file, login, clock, signal)
      if (outcome === 'refused') refused = login.refreshToken
      else if (!(outcome instanceof Error)) return outcome.accessToken
      else if (clock.now() + pauseMs > deadline) throw outcome
      else await clock.pause(pauseMs, signal)
    }
  }
}

/** The new login, `refused` if the refresh token is not valid (any more), or an error that another attempt may overcome. */
async function renew(
  file: LoginFile,
  { url, refreshToken }: Login,
  clock: Clock,
  signal: AbortSignal,
): Promise<Login | 'refused' | BursarOutcomeUnknown> {
  file.requireWritable()
  let reply: OAuthReply
  const askedAt = clock.now()
  try {
    reply = await postForm(url, '/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken }, signal)
  } catch (error) {
    if (error instanceof BursarOutcomeUnknown) return error
    throw error
  }
  const { status, body } = reply
  if (status === 429) return new BursarOutcomeUnknown(refusedForm(reply).message, { status })
  if (status !== 200 && body.error === 'invalid_grant') return 'refused'
  // For a token that another command has exchanged there is no new one: the file may have it by now.
  const newest = { refresh_token: file.read()?.refreshToken ?? refreshToken, ...body }
  const login = status === 200 ? loginOf(url, newest, askedAt) : null
  if (!login) throw refusedForm(reply)
  file.write(login)
  return login
}

function giveUp(file: LoginFile): never {
  file.delete()
  throw new BursarSignedOut('login_ended', 'Your login was revoked or has expired. Run bursar login.')
}
