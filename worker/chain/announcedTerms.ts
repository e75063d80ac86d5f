import type { Terms } from './digests.ts'
import type { Address, Log } from './types.ts'

/** The terms in a PayoutAnnounced log. Anyone can announce any terms. */
export function announcedTerms({ topics: [, , payer], data }: Pick<Log, 'topics' | 'data'>): Terms {
  const [claimKey, reclaimKey, amount, expiry] = [0, 1, 2, 3].map((i) => data.slice(2 + i * 64, 2 + (i + 1) * 64))
  const addressIn = (word: string): Address => `0x${word.slice(-40)}`
  return {
    payer: addressIn(payer!),
    claimKey: addressIn(claimKey!),
    reclaimKey: addressIn(reclaimKey!),
    amount: BigInt(`0x${amount}`),
    expiry: Number(`0x${expiry}`),
  }
}
