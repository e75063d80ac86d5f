import { type Period, periodAt } from '../policyPeriod.ts'

/**
 * What a rule counts over time. A window is a calendar period (UTC) or the last so many milliseconds. A rolling window is
 * kept in 24 slices and includes its whole oldest slice, so it never allows more than its limit in its length. Amounts are
 * micro-USDC; counts are numbers of payments. Instants are in ms.
 */
export type Window = {
  span: Period | number
  /** Per recipient instead of per group. */
  perRecipient?: true
}

/** `newest`: the number of the newest slice (rolling) or the start of the period. `slices`: newest first. */
export type Ring = { newest: number; slices: readonly bigint[] }

/** What a window contains. `resetsAt`: when its period ends or, of a rolling one, when its oldest part leaves. */
export type Used = {
  used: bigint
  startsAt: number
  resetsAt: number | null
  /** The group counts as many recipients as it can, and this one is new. */
  isFull?: true
}

const sliceCount = 24

/** 23 whole slices are at least as long as the window, which then lies within 24. */
const sliceMs = (span: number) => Math.ceil(span / (sliceCount - 1))

const sliceAt = (span: Window['span'], at: number) =>
  typeof span === 'number' ? Math.floor(at / sliceMs(span)) : periodAt(span, at).startAt

/** The ring up to `at`. A clock that goes back does not reopen an earlier slice. */
function advanced(span: Window['span'], ring: Ring | null, at: number): Ring {
  const slice = sliceAt(span, at)
  if (ring === null) return { newest: slice, slices: [0n] }
  if (slice <= ring.newest) return ring
  if (typeof span !== 'number') return { newest: slice, slices: [0n] }
  const passed = Math.min(slice - ring.newest, sliceCount)
  const left = ring.slices.slice(0, sliceCount - passed)
  const slices = [...Array<bigint>(passed).fill(0n), ...left]
  return { newest: slice, slices }
}

export function addTo(span: Window['span'], ring: Ring | null, at: number, amount: bigint): Ring {
  const { newest, slices } = advanced(span, ring, at)
  return { newest, slices: [slices[0]! + amount, ...slices.slice(1)] }
}

/** Returns an amount to the slice of `at`, never below zero. A slice or period that has ended stays as it is. */
export function returnTo(span: Window['span'], ring: Ring, at: number, amount: bigint): Ring {
  const slice = sliceAt(span, at)
  const index = typeof span === 'number' ? ring.newest - slice : slice === ring.newest ? 0 : -1
  if (index < 0 || index >= ring.slices.length) return ring
  const left = ring.slices.map((value, i) => (i !== index ? value : value > amount ? value - amount : 0n))
  return { ...ring, slices: left }
}

export function usedOf(span: Window['span'], ring: Ring | null, now: number): Used {
  const { newest, slices } = advanced(span, ring, now)
  let used = 0n
  let oldest = -1
  for (let i = 0; i < slices.length; i++)
    if (slices[i]! > 0n) {
      used += slices[i]!
      oldest = i
    }
  if (typeof span !== 'number') {
    const { startAt, endAt } = periodAt(span, newest)
    return { used, startsAt: startAt, resetsAt: endAt }
  }
  const slice = sliceMs(span)
  return {
    used,
    startsAt: (newest - sliceCount + 1) * slice,
    resetsAt: oldest < 0 ? null : (newest - oldest + sliceCount) * slice,
  }
}

/** Where rows of payments begin that a window made anew contains. */
export const windowStart = (span: Window['span'], now: number) => usedOf(span, null, now).startsAt

/** A window of what was paid before. What a clock that was ahead has dated later counts as newest. */
export function windowOf(span: Window['span'], paid: readonly { at: number; amount: bigint }[], now: number): Ring {
  const newest = sliceAt(
    span,
    paid.reduce((latest, { at }) => Math.max(latest, at), now),
  )
  const slices = Array<bigint>(typeof span === 'number' ? sliceCount : 1).fill(0n)
  for (const { at, amount } of paid) {
    const index = typeof span === 'number' ? newest - sliceAt(span, at) : 0
    if (index < slices.length) slices[index] = slices[index]! + amount
  }
  return { newest, slices }
}

/** When the window counts nothing more. */
export const endOf = (span: Window['span'], { newest }: Ring): number =>
  typeof span === 'number' ? (newest + sliceCount) * sliceMs(span) : periodAt(span, newest).endAt

/** Payments in the same multiple of this are in the same slice. */
export const groupingMs = (span: Window['span']) => (typeof span === 'number' ? sliceMs(span) : Number.MAX_SAFE_INTEGER)
