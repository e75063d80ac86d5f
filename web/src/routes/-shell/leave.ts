import { signOut } from '#web/lib/signOut.ts'
import { pushUser } from '#web/push/pushUser.ts'
import { forgetWallets } from '#web/wallet/walletStorage.ts'

const timeoutMs = 1_500 // 1.5 seconds

/** Disconnects wallets and turns push off, so that nothing is left for the browser's next user, then signs out. */
export async function leave(): Promise<void> {
  await forgetWallets()
  if (pushUser()) await endPush()
  signOut()
}

/** Turns push off, on the server too if it replies quickly. */
async function endPush(): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs))
  const off = import('#web/push/device.ts').then((device) => device.turnPushOff())
  await Promise.race([off.catch(() => undefined), timeout])
}
