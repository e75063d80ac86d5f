/**
 * When intents are signed, signed again and given up (design.md section 5). Chain seconds and object milliseconds
 * are kept apart by name. The wallet accepts any order inside a window of 128 nonces, each at most once.
 */
export const maxInFlight = 64
/** The contract's window is 128 wide: highest issued − lowest open must stay at or below 127. */
export const maxSpread = 127
export const deadlineSeconds = 300 // 5 minutes
/** The Relayer drops items with less time than this left; then a fresh signature is due. */
export const leastLifeSeconds = 60
export const giveUpMs = 15 * 60_000 // 15 minutes
/** Head reads older than this are read again before a deadline is derived from them. */
export const headFreshMs = 10_000 // 10 seconds

/** nonce = epoch ‖ sequence, 32 bits each. */
export const nonceOf = (epoch: number, sequence: number): bigint => (BigInt(epoch) << 32n) | BigInt(sequence)

/**
 * How many new sequences may be issued now. `lowestOpen` is the lowest sequence not seen on chain and not proven
 * dead, null when none is open; a passed deadline frees nothing (threats.md A3).
 */
export function issuable(nextSequence: number, lowestOpen: number | null, inFlight: number): number {
  const bySpread = lowestOpen === null ? maxInFlight : lowestOpen + maxSpread + 1 - nextSequence
  const bySpace = 0xffff_ffff - nextSequence
  return Math.max(0, Math.min(maxInFlight - inFlight, bySpread, bySpace))
}

/** Is a fresh signature of the same nonce due? Never after `giveUpAt` (ms), never in an epoch that is over. */
export function mustResign(
  intent: { deadline: number; giveUpAt: number; epoch: number },
  chain: { timestamp: number; epoch: number },
  now: number,
): boolean {
  return intent.epoch === chain.epoch && now < intent.giveUpAt && intent.deadline - chain.timestamp < leastLifeSeconds
}

/** Dead = at a finalized block after the last deadline nothing moved; logs are read up to that very block. */
export const provablyDead = (maxDeadline: number, finalizedTimestamp: number, nonceLogFound: boolean): boolean =>
  finalizedTimestamp > maxDeadline && !nonceLogFound
