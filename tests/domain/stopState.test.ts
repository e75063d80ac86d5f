/** What operators have stopped, as states that reach the stop objects in any order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stopModes } from '../../worker/domain/serviceStop.ts'
import {
  editionOf,
  includesStops,
  mergedStops,
  nextStop,
  nothingStopped,
  type StopState,
} from '../../worker/domain/stopState.ts'
import { parseStopRegions, stopRegionOf, stopRegions } from '../../worker/stops/regions.ts'

const version = fc.integer({ min: 0, max: 6 })
const state: fc.Arbitrary<StopState> = fc.record({
  stop: fc.record({ mode: fc.constantFrom(...stopModes), since: fc.constant(1), version }),
  // The id follows from the version, because one restore has one.
  freezes: fc.dictionary(
    fc.constantFrom('usr_a', 'usr_b'),
    version.map((version) => ({ restoreId: version % 2 ? `rst_${version}` : null, version })),
  ),
})

test('objects that get the same states in any order and number end with the same one, and none loses a newer one @stop-18', () => {
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 5 }), (states) => {
      const forward = states.reduce(mergedStops, nothingStopped)
      const backward = [...states, ...states].reverse().reduce(mergedStops, nothingStopped)
      expect(backward).toEqual(forward)
      for (const each of states) expect(includesStops(forward, each)).toBe(true)
      expect(editionOf(forward)).toBe(Math.max(...states.map(editionOf)))
      expect(forward.stop.version).toBe(Math.max(...states.map(({ stop }) => stop.version)))
    }),
  )
  const stop = (mode: 'none' | 'all') => ({ stop: { mode, since: 1, version: 5 }, freezes: {} })
  expect(mergedStops(stop('all'), stop('none')), 'in the same millisecond').toEqual(stop('all'))
  expect(includesStops(stop('none'), stop('all'))).toBe(false)
})

test('a stop is later than what it replaces even if the clock is behind, and a weaker one needs the mode that it lifts @stop-20', () => {
  const current = { mode: 'sign', since: 50, version: 100 } as const
  expect(nextStop(current, 'all', null, 70)).toEqual({ mode: 'all', since: 70, version: 101 })
  expect(nextStop(current, 'sign', null, 200)).toEqual({ mode: 'sign', since: 50, version: 200 })
  expect(nextStop(current, 'new', 'sign', 200)).toEqual({ mode: 'new', since: 200, version: 200 })
  expect(nextStop(current, 'new', 'new', 200)).toBeNull()
  expect(nextStop(current, 'none', null, 200)).toBeNull()
})

test('each location hint is served by one region, unknown locations by the first @stop-21', () => {
  expect([...parseStopRegions(undefined).keys()]).toEqual(['weur', 'enam', 'apac'])
  expect(stopRegionOf({}, 'oc')).toBe('apac')
  expect(stopRegionOf({}, null)).toBe('weur')
  const all = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']
  const one = { STOP_REGIONS: JSON.stringify({ enam: all }) }
  expect([stopRegionOf(one, 'oc'), stopRegionOf(one, null)]).toEqual(['enam', 'enam'])
  const toRemove = { STOP_REGIONS: JSON.stringify({ enam: all, apac: [] }) }
  expect([stopRegionOf(toRemove, 'apac'), stopRegions(toRemove)], 'before it is removed').toEqual([
    'enam',
    ['enam', 'apac'],
  ])
  for (const wrong of [{ enam: all.slice(1) }, { enam: all, weur: ['me'] }, { mars: all }, {}])
    expect(() => parseStopRegions(JSON.stringify(wrong)), JSON.stringify(wrong)).toThrow('each location hint once')
})
