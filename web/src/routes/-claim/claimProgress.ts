import { claimSessionMs } from '#domain/attempts.ts'
import { browserStorage, tabStorage } from '#web/lib/storage.ts'
import type { ClaimPayout } from '#web/queries/claim.ts'

/** The result of entering the right code. `passcode` is null after a reload, since the code itself is never stored. */
export type Verified = { passcode: string | null; sessionToken: string; balance: string }

/** The claim session, kept until the tab is closed. `until` in epoch ms. */
type Session = { token: string; balance: string; until: number }

/** The withdrawals of a payout that this browser has requested. Kept before the request is sent, since its reply may be lost. */
type Requests = {
  addresses: string[]
  /** When the last one was sent (epoch ms); null once it is known to have had no effect. */
  sentAt: number | null
}

const sessionKey = (accessToken: string) => `claim:${accessToken}`
/** By the payout's id: other tabs find it, and the link's secret is not kept beyond the tab. */
const requestsKey = (payoutId: string) => `claimed:${payoutId}`

function parsed<T>(text: string | null): T | null {
  try {
    return JSON.parse(text ?? 'null') as T | null
  } catch {
    return null
  }
}

export function keepSession(accessToken: string, { sessionToken, balance }: Verified): void {
  const session: Session = { token: sessionToken, balance, until: Date.now() + claimSessionMs }
  tabStorage.set(sessionKey(accessToken), JSON.stringify(session))
}

/** The claim session of this tab; null if there is none or it has expired. */
export function keptSession(accessToken: string): Verified | null {
  const session = parsed<Session>(tabStorage.get(sessionKey(accessToken)))
  if (!session || Date.now() >= session.until) return null
  return { passcode: null, sessionToken: session.token, balance: session.balance }
}

const requestsOf = (payoutId: string): Requests =>
  parsed<Requests>(browserStorage.get(requestsKey(payoutId))) ?? { addresses: [], sentAt: null }

const keepRequests = (payoutId: string, requests: Requests) =>
  browserStorage.set(requestsKey(payoutId), JSON.stringify(requests))

/** Call before the request to withdraw to `address`, in checksum case, is sent. */
export function keepRequest(payoutId: string, address: string): void {
  const others = requestsOf(payoutId).addresses.filter((other) => other !== address)
  keepRequests(payoutId, { addresses: [...others, address], sentAt: Date.now() })
}

/** Call when the last request is known to have had no effect. An earlier one may still have had one. */
export const endRequest = (payoutId: string): void => keepRequests(payoutId, { ...requestsOf(payoutId), sentAt: null })

/** The last request to withdraw, also one that was refused. */
export function lastRequest(payoutId: string): { address: string | undefined; sentAt: number | null } {
  const { addresses, sentAt } = requestsOf(payoutId)
  return { address: addresses.at(-1), sentAt }
}

/** Whether the money went where somebody asked for it in this browser. */
export const isOwnWithdrawal = ({ id, withdrawnToAddress }: ClaimPayout): boolean =>
  requestsOf(id).addresses.includes(withdrawnToAddress!)
