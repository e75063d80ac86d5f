import { prfInput } from './account.ts'

/** Why a passkey gave no value that may be used. Each has its own text (passkeyTexts.ts). */
export type PasskeyProblem = 'unsupported' | 'cancelled' | 'notThisDevice' | 'differs'

export class PasskeyError extends Error {
  override name = 'PasskeyError'
  readonly problem: PasskeyProblem
  constructor(problem: PasskeyProblem) {
    super(problem)
    this.problem = problem
  }
}

export type NewPasskey = { id: Uint8Array<ArrayBuffer>; value: Uint8Array<ArrayBuffer> | null }
/** `isSynced`: the passkey is backed up by its provider; otherwise only this device has it. */
export type OpenedPasskey = {
  id: Uint8Array<ArrayBuffer>
  value: Uint8Array<ArrayBuffer>
  isPlatform: boolean
  isSynced: boolean
}

/** First byte of a `user.id`: what the passkey opens. An id that repeats would replace the older passkey without a word. */
const keptMoney = 1

/** The flag "backup state" of WebAuthn's authenticator data. */
const backupState = 0x10

const prf = { prf: { eval: { first: prfInput } } } satisfies AuthenticationExtensionsClientInputs

/** A random id of 16 bytes, whose first byte is the kind. */
export function newUserId(): Uint8Array<ArrayBuffer> {
  const id = crypto.getRandomValues(new Uint8Array(16))
  id[0] = keptMoney
  return id
}

/**
 * Creates a passkey. Call it in a tap: browsers refuse it otherwise. `value` is null in browsers that return one only for
 * `openPasskey`. Throws PasskeyError.
 */
export async function createPasskey(rpId: string, name: string): Promise<NewPasskey> {
  const credential = await ceremony(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { id: rpId, name: 'Bursar' },
        user: { id: newUserId(), name, displayName: name },
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: {
          ...{ authenticatorAttachment: 'platform', residentKey: 'required', requireResidentKey: true },
          userVerification: 'required',
        },
        extensions: prf,
      },
    }),
  )
  const { prf: result } = credential.getClientExtensionResults()
  const id = new Uint8Array(credential.rawId)
  if (!result?.enabled) {
    await forget(rpId, id)
    throw new PasskeyError('unsupported')
  }
  return { id, value: valueIn(result) }
}

/** Opens the passkey with this id, or one that the person chooses. Call it in a tap of its own. Throws PasskeyError. */
export async function openPasskey(rpId: string, id?: Uint8Array<ArrayBuffer>): Promise<OpenedPasskey> {
  const credential = await ceremony(() =>
    navigator.credentials.get({
      publicKey: {
        rpId,
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        allowCredentials: id ? [{ type: 'public-key', id }] : [],
        userVerification: 'required',
        extensions: prf,
      },
    }),
  )
  const value = valueIn(credential.getClientExtensionResults().prf)
  if (!value) throw new PasskeyError('unsupported')
  const isPlatform = credential.authenticatorAttachment === 'platform'
  const { authenticatorData } = credential.response as AuthenticatorAssertionResponse
  return { id: new Uint8Array(credential.rawId), value, isPlatform, isSynced: isBackedUp(authenticatorData) }
}

/** Byte 32 of authenticator data holds its flags. */
const isBackedUp = (authenticatorData: ArrayBuffer) => (new Uint8Array(authenticatorData)[32]! & backupState) !== 0

function valueIn(result: AuthenticationExtensionsPRFOutputs | undefined): Uint8Array<ArrayBuffer> | null {
  const first = result?.results?.first
  if (!first) return null
  return ArrayBuffer.isView(first)
    ? new Uint8Array(first.buffer.slice(first.byteOffset, first.byteOffset + first.byteLength) as ArrayBuffer)
    : new Uint8Array(first)
}

/** Runs a ceremony. An in-app browser and a person who cancels both end it with NotAllowedError. */
async function ceremony(run: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (typeof PublicKeyCredential !== 'function') throw new PasskeyError('unsupported')
  try {
    const credential = await run()
    if (credential) return credential as PublicKeyCredential
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    if (error.name !== 'NotAllowedError' && error.name !== 'AbortError') throw new PasskeyError('unsupported')
  }
  throw new PasskeyError('cancelled')
}

/** Tells the password manager that the passkey is of no use, where browsers can. */
async function forget(rpId: string, id: Uint8Array<ArrayBuffer>): Promise<void> {
  const credentialId = btoa(String.fromCharCode(...id))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  await PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }).catch(() => undefined)
}
