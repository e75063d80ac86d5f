import { dayMs, hourMs, minuteMs } from './time.ts'

/**
 * Idle wallets are read together by Watch (worker/watch/). What it reads decides only when a Treasury reads by itself: nothing
 * is booked, paid or shown because of it.
 */

/** A digest of a wallet's state on chain, and the block at which it had it. */
export type Sighting = { digest: string; block: number }

/** What Watch knows of a wallet. `digest` is null while the wallet is busy: its Treasury reads it anyway. Times in ms. */
export type Watched = {
  digest: string | null
  block: number
  addedAt: number
  renewedAt: number
  /** When its Treasury was last told of a difference that it has not explained since; 0 if it has explained all. */
  wokenAt: number
}

/** The newest sweep that read every wallet. Times in ms. */
export type Sweep = { block: number; startedAt: number; endedAt: number }

/** Of one object. Further wallets belong to the next shard. */
export const maxWatched = 50_000
/** One call reads this many wallets, so that its gas and its reply stay within what nodes accept. */
export const walletsPerCall = 500
/** How many wallets' Treasuries one sweep wakes. The differences of the others are still there at the next. */
export const wokenPerSweep = 250
/** A difference that a Treasury could not find is repeated after this long: a node may be wrong, here or there. */
const repeatMs = hourMs
/** After as many periods without a complete sweep, the wallets read themselves again and operators are alerted. */
const latePeriods = 3
/** A Treasury renews its wallets daily. Those of which nothing was heard for so long are forgotten. */
export const forgottenMs = 3 * dayMs

/** The time between two sweeps. A few wallets are not worth one each minute, and of many each one costs the node more. */
export const periodMs = (wallets: number): number => (wallets > 60 && wallets < 5_000 ? minuteMs : 5 * minuteMs)

/** True if the last complete sweep is too old to rely on. A clock that was set back proves nothing. */
export const isLate = (lastEndedAt: number, wallets: number, now: number): boolean =>
  Math.abs(now - lastEndedAt) > latePeriods * periodMs(wallets)

/**
 * Whether a sweep of this block says anything. A node that is behind the one of the last sweep says nothing, unless all have been
 * for a while: then it was the last sweep's node that was ahead of the chain.
 */
export const isNews = (block: number, last: Sweep | null, wallets: number, now: number): boolean =>
  last === null || block >= last.block || isLate(last.endedAt, wallets, now)

/** Whether the wallet's Treasury should hear of this reading. It says nothing unless it is newer than what is known. */
export const mustWake = ({ digest, block, wokenAt }: Watched, seen: Sighting, now: number): boolean =>
  digest !== null && seen.block > block && seen.digest !== digest && Math.abs(now - wokenAt) >= repeatMs

/** The wallet after its Treasury has read it. Only a new digest explains what the Treasury was woken for. */
export function renewed(known: Watched | null, { digest, block }: Sighting, now: number): Watched {
  const isExplained = known === null || known.digest !== digest
  return {
    digest,
    // An equal state at an older block is as good, and needs no write.
    block: isExplained ? block : known.block,
    addedAt: known?.addedAt ?? now,
    renewedAt: isExplained || isRenewalDue(known, now) ? now : known.renewedAt,
    wokenAt: isExplained ? 0 : known.wokenAt,
  }
}

const isRenewalDue = ({ renewedAt }: Watched, now: number) => Math.abs(now - renewedAt) >= dayMs / 2

/**
 * Whether the Treasury may rely on Watch until tomorrow: this wallet was part of a complete sweep, and the sweeps are not late.
 */
export const isConfirmed = ({ addedAt }: Watched, last: Sweep | null, wallets: number, now: number): boolean =>
  last !== null && last.startedAt >= addedAt && !isLate(last.endedAt, wallets, now)

/** A Treasury's reply to a difference. `known`: what its books have is as new as what was seen. */
export type WakeReply = { state: 'gone' | 'busy' | 'reads' } | ({ state: 'known' } & Sighting)

/** How a Treasury judges what Watch has seen of an idle wallet. `booked`: the state in its books; null if it has to read anyway. */
export const wakeReply = (booked: Sighting | null, seen: Sighting): WakeReply =>
  booked !== null && (booked.digest === seen.digest || booked.block >= seen.block)
    ? { state: 'known', ...booked }
    : { state: 'reads' }

/** The wallet after its Treasury's reply; null if it exists no more. */
export function afterReply(known: Watched, reply: WakeReply, now: number): Watched | null {
  switch (reply.state) {
    case 'gone':
      return null
    case 'busy':
      return { ...known, digest: null, wokenAt: 0 }
    case 'known':
      return renewed({ ...known, wokenAt: now }, reply, now)
    case 'reads':
      return { ...known, wokenAt: now }
  }
}
