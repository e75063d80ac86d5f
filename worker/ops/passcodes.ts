import { signUpModeOf } from '#domain/signUpMode.ts'
import { dayMs, isoOf } from '#domain/time.ts'
import type { CreatedPasscode, Passcode, PasscodeList } from '#schemas/ops.ts'
import type { Deps } from '../appEnv.ts'
import { editPasscode, insertPasscode, listPasscodes, type PasscodeRow } from '../db/passcodes.ts'
import { AppError } from '../errors.ts'
import { newTemporaryPassword, passcodeHash } from '../identity/secrets.ts'
import { keyring } from '../keyrings/keyring.ts'
import { type Act, recordAct } from './record.ts'

const maxListed = 200

export async function passcodeList({ env, db, now }: Deps): Promise<PasscodeList> {
  const rows = await listPasscodes(db, maxListed)
  return { signUp: signUpModeOf(env), passcodes: rows.map((row) => passcodeView(row, now())) }
}

/** Creates a passcode. Records its id, never the passcode. */
export async function createPasscode(
  deps: Deps,
  act: Act,
  input: { label: string; maxUses: number | null; expiresInDays: number | null },
): Promise<CreatedPasscode> {
  const { env, db, now } = deps
  const { label, maxUses, expiresInDays } = input
  const passcode = newTemporaryPassword()
  const pepper = keyring(env, 'CODE_PEPPER').current(now())
  const hash = passcodeHash(pepper.secret, passcode)
  const row = {
    hash,
    pepperVersion: pepper.version,
    label,
    maxUses,
    expiresAt: endOf(expiresInDays, now()),
    createdAt: now(),
  }
  await recordAct(deps, act, 'passcode.create', idOf(hash), input)
  const inserted = await insertPasscode(db, row)
  if (!inserted) throw new AppError('conflict', 'Please try again.')
  return { ...passcodeView(inserted, now()), passcode }
}

/** Changes only the given limits. */
export async function limitPasscode(
  deps: Deps,
  act: Act,
  id: string,
  input: { maxUses?: number | null | undefined; expiresInDays?: number | null | undefined },
): Promise<Passcode> {
  const { maxUses, expiresInDays } = input
  if (maxUses === undefined && expiresInDays === undefined)
    throw new AppError('invalid_input', 'Specify maxUses, expiresInDays or both.')
  await recordAct(deps, act, 'passcode.limit', id, input)
  return edited(deps, id, {
    ...(maxUses !== undefined && { maxUses }),
    ...(expiresInDays !== undefined && { expiresAt: endOf(expiresInDays, deps.now()) }),
  })
}

/** Revokes a passcode. Accounts that were created with it are not affected. */
export async function revokePasscode(deps: Deps, act: Act, id: string): Promise<Passcode> {
  await recordAct(deps, act, 'passcode.revoke', id)
  return edited(deps, id, { revokedAt: deps.now() })
}

async function edited({ db, now }: Deps, id: string, change: Parameters<typeof editPasscode>[2]): Promise<Passcode> {
  const row = await editPasscode(db, id, change)
  if (!row) throw new AppError('not_found', 'There is no passcode with this id, or it is revoked.')
  return passcodeView(row, now())
}

const endOf = (days: number | null, now: number) => (days === null ? null : now + days * dayMs)
/** A prefix of the HMAC under the pepper, so it reveals nothing about the passcode. */
const idOf = (hash: string) => hash.slice(0, 16)

function passcodeView(row: PasscodeRow, now: number): Passcode {
  const { hash, label, used, maxUses, createdAt, expiresAt, revokedAt } = row
  return {
    id: idOf(hash),
    label,
    used,
    maxUses,
    createdAt: isoOf(createdAt),
    expiresAt: isoOf(expiresAt),
    revokedAt: isoOf(revokedAt),
    state: stateOf(row, now),
  }
}

function stateOf({ used, maxUses, expiresAt, revokedAt }: PasscodeRow, now: number): Passcode['state'] {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return maxUses !== null && used >= maxUses ? 'used_up' : 'active'
}
