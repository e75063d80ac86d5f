import { recoverMessageAddress } from 'viem'
import type { PersonId } from '#domain/accounts.ts'
import { isoOf } from '#domain/time.ts'
import { checksumAddress } from '#domain/validators.ts'
import type { AddressNonce, User } from '#schemas/account.ts'
import type { Deps } from '../appEnv.ts'
import { putAddressNonce, takeAddressNonce } from '../db/accountCodes.ts'
import { editUser, findUser } from '../db/users.ts'
import { AppError } from '../errors.ts'
import { newSecret } from '../identity/secrets.ts'
import { asUser } from './loginSessions.ts'

type Hex = `0x${string}`

const nonceMs = 10 * 60_000 // 10 minutes

/** Returns a message for the wallet to sign. Invalidates an earlier one. */
export async function addressNonce(deps: Deps, personId: PersonId): Promise<AddressNonce> {
  const user = await findUser(deps.db, personId)
  if (!user) throw userNotFound()
  const nonce = newSecret()
  const expiresAt = deps.now() + nonceMs
  await putAddressNonce(deps.db, { userId: personId, nonce, expiresAt })
  return {
    message: messageOf(deps, user.email, personId, nonce, expiresAt),
    expiresAt: isoOf(expiresAt),
  }
}

/** Links the address if its key signed the message, and stores it with checksum. The nonce is consumed either way. */
export async function linkAddress(
  deps: Deps,
  personId: PersonId,
  input: { publicAddress: Hex; signature: Hex },
): Promise<User> {
  const { publicAddress, signature } = input
  const user = await findUser(deps.db, personId)
  if (!user) throw userNotFound()
  const open = await takeAddressNonce(deps.db, personId, deps.now())
  if (!open)
    throw new AppError('gone', 'This request to link a wallet has expired. Please start again.', { field: 'signature' })
  if (signature.length !== 132)
    throw new AppError(
      'unprocessable',
      'This signature is not from a regular wallet. Smart contract wallets cannot be linked.',
      { field: 'signature' },
    )
  const message = messageOf(deps, user.email, personId, open.nonce, open.expiresAt)
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  const address = checksumAddress(publicAddress)
  if (signer !== address)
    throw new AppError(
      'unprocessable',
      'The signature does not match this address. Smart contract wallets cannot be linked.',
      { field: 'signature' },
    )
  return store(deps, personId, address)
}

export const unlinkAddress = (deps: Deps, personId: PersonId): Promise<User> => store(deps, personId, null)

async function store(deps: Deps, personId: PersonId, publicAddress: Hex | null): Promise<User> {
  const row = await editUser(deps.db, personId, { publicAddress }, deps.now())
  if (!row) throw userNotFound()
  return asUser(row)
}

/** Names the site and the user, so that the signature is worthless for any other site or account. */
const messageOf = ({ env }: Deps, email: string, personId: PersonId, nonce: string, expiresAt: number) =>
  [
    `${new URL(env.APP_ORIGIN).host} wants to link this wallet to your Bursar account.`,
    '',
    'Signing costs nothing and moves no money.',
    '',
    `Account: ${email} (${personId})`,
    `URI: ${env.APP_ORIGIN}`,
    `Nonce: ${nonce}`,
    `Expires: ${isoOf(expiresAt)}`,
  ].join('\n')

const userNotFound = () => new AppError('not_found', 'User not found.')
