import { isWeaker, type StopMode } from './serviceStop.ts'

/** The operators' stop for all accounts. `since` in ms; null if nothing was ever stopped. */
export type ServiceStop = { mode: StopMode; since: number | null; version: number }

/** An account's restore; `restoreId` is null once it has ended. */
export type Freeze = { restoreId: string | null; version: number }

/**
 * What operators have stopped: for all accounts, and by user id for accounts that are being restored. A version is the time
 * of the change (ms), and higher than that of the state that the change replaced.
 */
export type StopState = { stop: ServiceStop; freezes: Record<string, Freeze> }

export const nothingStopped: StopState = { stop: { mode: 'none', since: null, version: 0 }, freezes: {} }

export const nextVersion = (version: number, now: number): number => Math.max(now, version + 1)

const newerStop = (a: ServiceStop, b: ServiceStop): ServiceStop => {
  if (a.version !== b.version) return a.version > b.version ? a : b
  // Two operators at the same millisecond: the one who stops more prevails everywhere.
  return isWeaker(a.mode, b.mode) ? b : a
}

/** The newest of everything in both, in whatever order states are merged. */
export function mergedStops(a: StopState, b: StopState): StopState {
  const freezes = { ...a.freezes }
  for (const [userId, freeze] of Object.entries(b.freezes))
    if ((freezes[userId]?.version ?? -1) < freeze.version) freezes[userId] = freeze
  return { stop: newerStop(a.stop, b.stop), freezes }
}

/** True if `state` has everything that `other` has. */
export function includesStops(state: StopState, other: StopState): boolean {
  const { stop, freezes } = mergedStops(state, other)
  return (
    stop.version === state.stop.version &&
    stop.mode === state.stop.mode &&
    Object.entries(freezes).every(([userId, { version }]) => state.freezes[userId]?.version === version)
  )
}

/** Rises with each change: a state with a lower edition is an older one. */
export const editionOf = ({ stop, freezes }: StopState): number =>
  Math.max(stop.version, ...Object.values(freezes).map(({ version }) => version))

/**
 * The stop that sets `mode`. A stronger or equal mode always applies. A weaker one applies only if the current mode is
 * `from`, so that no operator lifts a stop they have not seen; null otherwise. `since` is kept if the mode stays the same.
 */
export function nextStop(current: ServiceStop, mode: StopMode, from: StopMode | null, now: number): ServiceStop | null {
  if (isWeaker(mode, current.mode) && current.mode !== from) return null
  const version = nextVersion(current.version, now)
  return { mode, since: mode === current.mode ? current.since : now, version }
}
