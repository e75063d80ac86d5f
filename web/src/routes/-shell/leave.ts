import { signOut } from '../../lib/session.ts'
import { pushUser } from '../../push/remembered.ts'
import { forgetWallets } from '../../wallet/remembered.ts'

const goodbyeMs = 1_500 // 1.5 seconds

/** Signs out and leaves nothing for the next person on this browser: wallets are disconnected and push is off first. */
export async function leave(): Promise<void> {
  await forgetWallets()
  if (pushUser()) await endPush()
  signOut()
}

/** Ends it for the server too, as long as that answers at once. */
async function endPush(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, goodbyeMs))
  const off = import('../../push/device.ts').then((device) => device.turnPushOff())
  await Promise.race([off.catch(() => undefined), late])
}
