import type { Env } from '../env.ts'

/** Cloudflare's hints for where an object is created. */
export const locationHints = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const
export type LocationHint = (typeof locationHints)[number]

const defaultRegions: Record<string, LocationHint[]> = {
  weur: ['weur', 'eeur', 'afr', 'me'],
  enam: ['wnam', 'enam', 'sam'],
  apac: ['apac', 'oc'],
}

/**
 * The regions of the operators' stop, named by the hint that their objects are created with, and the hints that each
 * serves. The first region serves objects whose location is not known. Throws unless each hint is served by one region.
 */
export function parseStopRegions(setting: string | undefined): Map<LocationHint, LocationHint[]> {
  const regions = Object.entries(setting ? (JSON.parse(setting) as Record<string, LocationHint[]>) : defaultRegions)
  const served = regions.flatMap(([, hints]) => hints)
  const isHint = (name: string) => (locationHints as readonly string[]).includes(name)
  const isComplete = served.length === locationHints.length && locationHints.every((hint) => served.includes(hint))
  if (!isComplete || !regions.every(([region]) => isHint(region)))
    throw new Error('must have each location hint once, by regions that are hints themselves')
  return new Map(regions) as Map<LocationHint, LocationHint[]>
}

/** A caller waits no longer than this for a stop object or for D1. Both respond within milliseconds. */
export const answerMs = 2_000 // 2 seconds

type StopEnv = Pick<Env, 'SERVICE_STOPS' | 'STOP_REGIONS'>

/** Europe, the Americas and Asia by default. */
export const stopRegions = (env: Pick<Env, 'STOP_REGIONS'>): LocationHint[] => [
  ...parseStopRegions(env.STOP_REGIONS).keys(),
]

/** The region that serves this location hint; the first one if there is no hint. */
export function stopRegionOf(env: Pick<Env, 'STOP_REGIONS'>, hint: string | null): LocationHint {
  const regions = [...parseStopRegions(env.STOP_REGIONS)]
  return (regions.find(([, hints]) => (hints as string[]).includes(hint ?? '')) ?? regions[0]!)[0]
}

export const stopObject = (env: StopEnv, region: LocationHint) =>
  env.SERVICE_STOPS.getByName(region, { locationHint: region })

/** Rejects if `work` takes longer than `ms`. Called later than in the argument, so that a missing binding rejects as well. */
export async function within<T>(work: () => Promise<T>, ms = answerMs): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), ms)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
