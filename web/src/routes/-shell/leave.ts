import { signOut } from '../../lib/session.ts'
import { forgetWallets } from '../../wallet/remembered.ts'

/** Signs out and leaves nothing for the next person on this browser: wallets are disconnected first. */
export async function leave(): Promise<void> {
  await forgetWallets()
  signOut()
}
