import { ApiError, isOutcomeUnknown } from '../lib/apiError.ts'
import { browserStorage } from '../lib/storage.ts'
import type { SendOnInput } from '../queries/sendOn.ts'

/**
 * The transfer that this browser signed for a payout and whose end it has not seen. Stored before it is sent, since its reply
 * may be lost: a repeat sends exactly this one, and it moves the money at most once.
 */
const storageKey = (payoutId: string) => `send_on:${payoutId}`

export const storeSendOn = (payoutId: string, input: SendOnInput): void =>
  browserStorage.set(storageKey(payoutId), JSON.stringify(input))

export function storedSendOn(payoutId: string): SendOnInput | null {
  try {
    return JSON.parse(browserStorage.get(storageKey(payoutId)) ?? 'null') as SendOnInput | null
  } catch {
    return null
  }
}

export const forgetSendOn = (payoutId: string): void => browserStorage.remove(storageKey(payoutId))

/**
 * Whether the server will never accept this transfer, and has not. Too many calls, or another transfer that is still open, end:
 * until then the stored transfer stays, because an earlier attempt may have been accepted.
 */
export function isFinalRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || isOutcomeUnknown(error) || error.status === 429) return false
  return error.status !== 409 || error.field === 'nonce'
}

/** How long a signed transfer may be delivered: the server allows 30 minutes and one more, by its own clock. */
const validSeconds = 29 * 60

/** The end of a transfer that is signed at `now` (ms), in unix seconds. */
export const sendOnEnd = (now: number, clockAheadMinutes: number): number =>
  Math.floor(now / 1000) - clockAheadMinutes * 60 + validSeconds

/** What to say after a transfer about those that are left, while it matters. */
export function sendsLeftText(count: number): string | null {
  const inWords = 'After that, your 12 words send from any wallet app.'
  if (count > 2) return null
  if (count === 0)
    return 'This was the last transfer that is free with this payout. Your 12 words send more from any wallet app.'
  return count === 1
    ? `One more transfer is free with this payout. ${inWords}`
    : `Two more transfers are free with this payout. ${inWords}`
}
