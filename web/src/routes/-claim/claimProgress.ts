import { claimSessionMs } from '#domain/attempts.ts'

/** The result of entering the right code. `passcode` is null after a reload, since the code itself is never stored. */
export type Verified = { passcode: string | null; sessionToken: string; balance: string }

/** State that must survive a reload. Kept until the tab is closed. */
type Progress = {
  session?: { token: string; balance: string /** Epoch ms. */; until: number } | undefined
  /** Where the recipient sent the money, and when (epoch ms). `completedAt` (ISO) is set once it has arrived. */
  transfer?: { recipientAddress: string; at: number; completedAt?: string } | undefined
}

const keyOf = (accessToken: string) => `claim:${accessToken}`

function read(accessToken: string): Progress {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(accessToken)) ?? '{}') as Progress
  } catch {
    return {}
  }
}

function write(accessToken: string, changes: Progress): void {
  try {
    sessionStorage.setItem(keyOf(accessToken), JSON.stringify({ ...read(accessToken), ...changes }))
  } catch {
    // Without storage, a reload asks for the code again.
  }
}

export const keepSession = (accessToken: string, { sessionToken, balance }: Verified): void =>
  write(accessToken, { session: { token: sessionToken, balance, until: Date.now() + claimSessionMs } })

export const keepTransfer = (accessToken: string, recipientAddress: string): void =>
  write(accessToken, { transfer: { recipientAddress, at: Date.now() } })

/** Called after a failed transfer. */
export const forgetTransfer = (accessToken: string): void => write(accessToken, { transfer: undefined })

/** Returns the time at which the transfer was first seen to be complete (ISO). */
export function keepCompletion(accessToken: string): string {
  const { transfer } = read(accessToken)
  const completedAt = transfer?.completedAt ?? new Date().toISOString()
  if (transfer) write(accessToken, { transfer: { ...transfer, completedAt } })
  return completedAt
}

/** Time within which the server is sure to show an accepted transfer. */
const acceptedMs = 15_000 // 15 seconds

/** The claim session if it has not expired, and the transfer started in this tab. */
export function restore(accessToken: string): {
  verified: Verified | null
  /** `seen`: the server must have reported it by now. */
  transfer: { recipientAddress: string; seen: boolean } | null
  /** When the transfer was first seen to be complete (ISO). */
  completedAt: string | undefined
} {
  const { session, transfer } = read(accessToken)
  const isOpen = session !== undefined && Date.now() < session.until
  return {
    verified: isOpen ? { passcode: null, sessionToken: session.token, balance: session.balance } : null,
    transfer: transfer
      ? { recipientAddress: transfer.recipientAddress, seen: Date.now() - transfer.at > acceptedMs }
      : null,
    completedAt: transfer?.completedAt,
  }
}
