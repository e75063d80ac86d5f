/** Reproducible choices: the same seed gives the same sequence (mulberry32). */
export type Random = {
  /** Whole number in [from, to]. */
  int(from: number, to: number): number
  /** True `percent` times in a hundred. */
  chance(percent: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
  pick<T>(choices: readonly T[]): T | undefined
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const int = (from: number, to: number) => from + (next() % (to - from + 1))
  return {
    int,
    chance: (percent) => int(0, 99) < percent,
    pick: <T>(choices: readonly T[]) => choices[int(0, Math.max(0, choices.length - 1))] as T,
  }
}
