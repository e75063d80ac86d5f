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
