import { api } from '../lib/api.ts'
import { keepUser } from '../lib/session.ts'

/** Links `publicAddress` to the account. `sign` has the wallet sign a message, which proves that the user controls it. */
export async function linkAddress(
  userId: string,
  publicAddress: string,
  sign: (message: string) => Promise<string>,
): Promise<void> {
  const { message } = await api('POST /users/:userId/public-address/nonce', { params: { userId } })
  const body = { publicAddress, signature: await sign(message) }
  keepUser(await api('PATCH /users/:userId/public-address', { params: { userId }, body }))
}

export async function unlinkAddress(userId: string): Promise<void> {
  keepUser(await api('PATCH /users/:userId/public-address', { params: { userId }, body: { publicAddress: null } }))
}
