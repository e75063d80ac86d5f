import { randomBytes, randomInt } from 'node:crypto'
import { minuteMs } from '#domain/time.ts'
import { newUserCode, parseUserCode, shownUserCode } from '#domain/userCode.ts'
import type { EnteredDevice } from '#schemas/connection.ts'
import type { Deps, Person } from '../appEnv.ts'
import { insertDeviceRequest, requestOfUserCode } from '../db/connections.ts'
import { AppError, OAuthError } from '../errors.ts'
import { newObjectToken } from '../identity/objectTokens.ts'
import { newId, sha256 } from '../identity/secrets.ts'
import { limitAttempts } from './attemptLimits.ts'
import { knownScopes } from './authorize.ts'
import { refuseRepeats, resourceOf } from './oauth.ts'
import { commandLine } from './oauthClients.ts'
import { devicePolls } from './quotas.ts'

/** How often a device may ask whether somebody has allowed it. */
export const pollSeconds = devicePolls.windowMs / 1000
const deviceMs = 10 * minuteMs
/**
 * Devices of one network address that nobody has entered yet: the newest are kept. Refusing further ones would let anybody who
 * shares the address keep others from signing in.
 */
const maxWaiting = 100

/**
 * POST /oauth/device (RFC 8628 section 3.1), only for our own command line: a code that any app could show would be sent to
 * victims. For the same reason there is no address with the code in it. `place`: where the device asked from, for the person
 * to compare.
 */
export async function startDevice(
  { env, db, now }: Deps,
  form: URLSearchParams,
  { address, place }: { address: string; place: string | null },
) {
  refuseRepeats(form)
  if (form.get('client_id') !== commandLine)
    throw new OAuthError('unauthorized_client', 'Only Bursar’s own command line may show device codes.')
  const scope = knownScopes(form.get('scope'))?.join(' ') ?? null
  const resource = resourceOf(form.getAll('resource'), env.API_ORIGIN) ?? `${env.API_ORIGIN}/v1`
  const at = now()
  const id = newId('request')
  const deviceCode = newObjectToken(env, 'device_code', id, randomBytes, at)
  const userCode = newUserCode(randomInt)
  await insertDeviceRequest(
    db,
    {
      ...{ id, clientId: commandLine, resource, scope, createdAt: at, expiresAt: at + deviceMs },
      ...{ deviceHash: sha256(deviceCode), userCode, addressHash: sha256(address), place },
    },
    maxWaiting,
  )
  return {
    device_code: deviceCode,
    user_code: shownUserCode(userCode),
    verification_uri: `${env.APP_ORIGIN}/device`,
    expires_in: deviceMs / 1000,
    interval: pollSeconds,
  }
}

/** Finds what a device asks for by the code that a signed-in person typed. At most five tries in 15 minutes. */
export async function enterDeviceCode({ deps, personId }: Person, text: string): Promise<EnteredDevice> {
  const { db, now } = deps
  const succeeded = await limitAttempts(deps, 'device-code', personId)
  const userCode = parseUserCode(text)
  const row = userCode === null ? null : await requestOfUserCode(db, userCode, now())
  if (!row || row.answer !== null || (row.userId !== null && row.userId !== personId))
    throw new AppError('not_found', 'No device shows this code. Check it, or start again on the device.', {
      field: 'userCode',
    })
  await succeeded()
  return { requestId: row.id }
}
