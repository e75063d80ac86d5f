import { expect, test } from 'vitest'
import { type Place, type Region, regionOf, regions } from '#domain/region.ts'

const places: [string, Place, Region | null][] = [
  ['Seattle', { continent: 'NA', country: 'US', longitude: '-122.33' }, 'wnam'],
  ['New York', { continent: 'NA', country: 'US', longitude: '-74.01' }, 'enam'],
  ['somewhere in North America', { continent: 'NA', country: 'CA' }, 'enam'],
  ['São Paulo', { continent: 'SA', country: 'BR', longitude: '-46.63' }, 'sam'],
  ['Lisbon', { continent: 'EU', country: 'PT', longitude: '-9.14' }, 'weur'],
  ['Stockholm', { continent: 'EU', country: 'SE', longitude: '18.07' }, 'weur'],
  ['somewhere in Europe', { continent: 'EU' }, 'weur'],
  ['Warsaw', { continent: 'EU', country: 'PL', longitude: '21.01' }, 'eeur'],
  ['Istanbul', { continent: 'AS', country: 'TR', longitude: '28.98' }, 'eeur'],
  ['Dubai', { continent: 'AS', country: 'AE', longitude: '55.30' }, 'me'],
  ['Cairo', { continent: 'AF', country: 'EG', longitude: '31.24' }, 'me'],
  ['Tokyo', { continent: 'AS', country: 'JP', longitude: '139.69' }, 'apac'],
  ['Sydney', { continent: 'OC', country: 'AU', longitude: '151.21' }, 'oc'],
  ['Nairobi', { continent: 'AF', country: 'KE', longitude: '36.82' }, 'afr'],
  ['Antarctica', { continent: 'AN', country: 'AQ' }, null],
  ['the Tor network', { country: 'T1' }, null],
  ['an unknown place', {}, null],
]

test.each(places)('a person in %s is served from the nearest region @region-1', (_, place, region) => {
  expect(regionOf(place)).toBe(region)
})

test('every region is nearest to somebody', () => {
  expect(new Set(places.map(([, , region]) => region))).toEqual(new Set([...regions, null]))
})
