/** Signing out, here and in other tabs. In a separate module, because only the dashboard needs it. */
import { actFor } from './otherAccount.ts'
import { forgetSession, set } from './session.ts'

const channel = openChannel()
if (channel) channel.onmessage = () => set({ user: null, expired: false })

/** Undefined in browsers that do not let this site use it: other tabs then sign out when they call the server. */
function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('bursar-sign-out')
  } catch {}
}

export function signOut(): void {
  actFor(null)
  forgetSession()
  set({ user: null, expired: false, passwordChallenge: null })
  channel?.postMessage(null)
}
