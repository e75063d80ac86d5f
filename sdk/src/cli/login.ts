import { Bursar } from '../bursar.ts'
import { type BursarError, BursarOutcomeUnknown, BursarRefusal, BursarSignedOut } from '../errors.ts'
import { defaultUrl, urlOf } from '../url.ts'
import { type Login, LoginFile, loginOf } from './loginFile.ts'
import { loginTokens } from './loginTokens.ts'
import { type OAuthReply, postForm, refusedForm } from './oauth.ts'
import type { Result, Shell } from './shell.ts'
import { budgetTable, plain } from './tables.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628: the interval if the server names none, and what `slow_down` adds. */
const stepSeconds = 5

/**
 * Connects this computer as an agent: shows a code, which a person types in a browser anywhere, and keeps the tokens. Ends an
 * earlier login.
 */
export async function login(shell: Shell, url: string | undefined, wantsJson: boolean): Promise<Result> {
  const { environment, signal, clock } = shell
  const origin = urlOf(url ?? environment.BURSAR_URL ?? defaultUrl)
  const file = new LoginFile(environment)
  file.requireWritable()
  const former = file.read()
  const device = await postForm(origin, '/oauth/device', {}, signal)
  if (device.status !== 200) throw refusedForm(device)
  shell.err(wantsJson ? JSON.stringify(shown(device)) : sentences(device))
  file.write(await collect(origin, device, shell))
  // The server ends the former login by itself only if both act as the same agent.
  if (former) await revoke(former, signal).catch(() => null)
  if (environment.BURSAR_API_KEY) {
    const warning = 'BURSAR_API_KEY is set: other commands use it instead of this login.'
    shell.err(wantsJson ? JSON.stringify({ warning }) : warning)
  }
  const bursar = new Bursar({ url: origin, accessToken: loginTokens(file, clock) })
  const context = await bursar.context({ signal })
  const { agent, policy_group } = context
  return {
    json: { url: origin, file: file.path, agent, policy_group },
    table: `Signed in at ${origin}.\n${budgetTable(context)}`,
  }
}

/** Revokes the login here and at Bursar. Without a reply, the file stays, so that the command can be repeated. */
export async function logout({ environment, signal }: Shell): Promise<Result> {
  const file = new LoginFile(environment)
  const former = file.read()
  if (!former) return { json: { url: null }, table: 'You were not signed in.' }
  await revoke(former, signal)
  file.delete()
  return { json: { url: former.url }, table: `Signed out of ${former.url}.` }
}

async function revoke({ url, refreshToken }: Login, signal: AbortSignal): Promise<void> {
  const reply = await postForm(url, '/oauth/revoke', { token: refreshToken }, signal)
  if (reply.status !== 200) throw refusedForm(reply)
}

/** Asks until a person has answered, as RFC 8628 section 3.5 says. */
async function collect(url: string, { body }: OAuthReply, { clock, signal }: Shell): Promise<Login> {
  const form = { grant_type: deviceGrant, device_code: String(body.device_code) }
  const deadline = clock.now() + Number(body.expires_in) * 1000
  let seconds = Number(body.interval ?? stepSeconds)
  try {
    while (clock.now() < deadline) {
      await clock.pause(seconds * 1000, signal)
      const askedAt = clock.now()
      const reply = await postForm(url, '/oauth/token', form, signal).catch((error: unknown) => {
        if (error instanceof BursarOutcomeUnknown) return null
        throw error
      })
      const tokens = reply?.status === 200 ? loginOf(url, reply.body, askedAt) : null
      if (tokens) return tokens
      if (!reply || reply.status === 429 || reply.body.error === 'slow_down') seconds += stepSeconds
      else if (reply.body.error !== 'authorization_pending') throw answered(reply)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new BursarSignedOut('interrupted', 'Stopped before the code was used. You are not signed in.')
  }
  throw new BursarSignedOut('expired_token', 'Nobody has entered the code in time. Run bursar login again.')
}

function answered(reply: OAuthReply): BursarError {
  const { status, body } = reply
  if (body.error === 'access_denied') return new BursarRefusal('access_denied', 'The request was denied.', { status })
  if (body.error === 'expired_token' || body.error === 'invalid_grant')
    return new BursarSignedOut(body.error, 'The code has expired or was used already. Run bursar login again.', {
      status,
    })
  return refusedForm(reply)
}

/** For programs, without the code that only this computer may know. */
const shown = ({ body: { user_code, verification_uri, expires_in } }: OAuthReply) => ({
  user_code,
  verification_uri,
  expires_in,
})

const sentences = ({ body: { user_code, verification_uri, expires_in } }: OAuthReply) =>
  `Open ${plain(String(verification_uri))} on any device, and enter this code:

  ${plain(String(user_code))}

It is valid for ${Math.round(Number(expires_in) / 60)} minutes. Waiting …`
