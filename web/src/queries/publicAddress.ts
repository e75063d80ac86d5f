import type { AddressNonce, User } from '../../../worker/schemas/account.ts'
import { api } from '../lib/api.ts'
import { keepUser } from '../lib/session.ts'

const path = (userId: string) => `/users/${encodeURIComponent(userId)}/public-address`

/** Links `publicAddress` to the account; with `sign` its wallet proves that it is the user's. */
export async function linkAddress(
  userId: string,
  publicAddress: string,
  sign: (message: string) => Promise<string>,
): Promise<void> {
  const { message } = await api.post<AddressNonce>(`${path(userId)}/nonce`)
  const signature = await sign(message)
  keepUser(await api.patch<User>(path(userId), { publicAddress, signature }))
}

export async function unlinkAddress(userId: string): Promise<void> {
  keepUser(await api.patch<User>(path(userId), { publicAddress: null }))
}
