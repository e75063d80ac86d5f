/**
 * When payment intents are signed, re-signed and given up. Names distinguish chain seconds from milliseconds. The wallet
 * accepts nonces in any order within a window, each at most once.
 */
export const maxInFlight = 64
export const windowSize = 128
/** Highest issued − lowest open. */
export const maxSpread = windowSize - 1
export const deadlineSeconds = 300 // 5 minutes
/** The Relayer drops jobs with less time left than this, which are then re-signed. */
export const minLifetimeSeconds = 60
export const giveUpMs = 15 * 60_000 // 15 minutes
/** A reading of the chain's head older than this is refreshed before a deadline is derived from it. */
export const headFreshMs = 10_000 // 10 seconds

/** nonce = epoch ‖ sequence, 32 bits each. */
export const nonceOf = (epoch: number, sequence: number): bigint => (BigInt(epoch) << 32n) | BigInt(sequence)
export const partsOfNonce = (nonce: bigint) => ({
  epoch: Number(nonce >> 32n),
  sequence: Number(nonce & 0xffff_ffffn),
})

/**
 * How many new sequences may be issued now. `lowestOpen` is the lowest sequence that is not yet seen on chain, proven dead
 * or refused by the contract, or null. A passed deadline alone frees no sequence: a reorganization could still include the
 * payment. An intent that the contract refuses is not re-signed, so the window may move past it.
 */
export function issuable(nextSequence: number, lowestOpen: number | null, inFlight: number): number {
  const bySpread = lowestOpen === null ? maxInFlight : lowestOpen + maxSpread + 1 - nextSequence
  const bySpace = 0xffff_ffff - nextSequence
  return Math.max(0, Math.min(maxInFlight - inFlight, bySpread, bySpace))
}

/**
 * How much of a wallet's `room` one principal may take. Some slots are kept for the owner, and no single agent may take all
 * others. `own` counts payments in flight by this principal, `byAgents` those by all agents together.
 */
export function slotsFor(
  principal: 'owner' | 'agent',
  room: number,
  { own, byAgents }: { own: number; byAgents: number },
  limits: { ownerSlots: number; agentInFlight: number },
): number {
  if (principal === 'owner') return room
  return Math.max(0, Math.min(room, limits.agentInFlight - own, maxInFlight - limits.ownerSlots - byAgents))
}

/** Whether the same nonce needs a new signature. Never after `giveUpAt` (ms) or in a past epoch. */
export function mustResign(
  intent: { deadline: number; giveUpAt: number; epoch: number },
  chain: { timestamp: number; epoch: number },
  now: number,
): boolean {
  return intent.epoch === chain.epoch && now < intent.giveUpAt && intent.deadline - chain.timestamp < minLifetimeSeconds
}

/** No signature can be executed any more, because a finalized block is later than the last deadline. */
export const deadlineIsFinal = (maxDeadline: number, finalizedTimestamp: number): boolean =>
  finalizedTimestamp > maxDeadline
