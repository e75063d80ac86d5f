/** The earliest of some due times (ms); null if none of them is set. */
export function earliest(...times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null)
  return set.length > 0 ? Math.min(...set) : null
}
