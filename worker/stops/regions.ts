import { regions as allRegions, type Region } from '#domain/region.ts'
import type { Bindings } from '../bindings.ts'

const defaultRegions: Record<string, Region[]> = {
  weur: ['weur', 'eeur', 'afr', 'me'],
  enam: ['wnam', 'enam', 'sam'],
  apac: ['apac', 'oc'],
}

/**
 * The regions of the operators' stop, named by the hint that their objects are created with, and the hints that each
 * serves. The first region serves objects whose location is not known. Throws unless each hint is served by one region.
 */
export function parseStopRegions(setting: string | undefined): Map<Region, Region[]> {
  const regions = Object.entries(setting ? (JSON.parse(setting) as Record<string, Region[]>) : defaultRegions)
  const served = regions.flatMap(([, hints]) => hints)
  const isHint = (name: string) => (allRegions as readonly string[]).includes(name)
  const isComplete = served.length === allRegions.length && allRegions.every((hint) => served.includes(hint))
  if (!isComplete || !regions.every(([region]) => isHint(region)))
    throw new Error('must have each location hint once, by regions that are hints themselves')
  return new Map(regions) as Map<Region, Region[]>
}

/** A caller waits no longer than this for a stop object or for D1. Both respond within milliseconds. */
export const answerMs = 2_000 // 2 seconds

type StopEnv = Pick<Bindings, 'SERVICE_STOPS' | 'STOP_REGIONS'>

/** Europe, the Americas and Asia by default. */
export const stopRegions = (env: Pick<Bindings, 'STOP_REGIONS'>): Region[] => [
  ...parseStopRegions(env.STOP_REGIONS).keys(),
]

/** The region that serves this location hint; the first one if there is no hint. */
export function stopRegionOf(env: Pick<Bindings, 'STOP_REGIONS'>, hint: Region | null): Region {
  const regions = [...parseStopRegions(env.STOP_REGIONS)]
  return (regions.find(([, hints]) => hint !== null && hints.includes(hint)) ?? regions[0]!)[0]
}

export const stopObject = (env: StopEnv, region: Region) =>
  env.SERVICE_STOPS.getByName(region, { locationHint: region })
