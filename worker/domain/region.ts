/** Where an object can be placed: the location hints of Durable Objects. */
export const regions = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const
export type Region = (typeof regions)[number]

/** Where a request comes from, as the network reports it. `longitude` is in degrees. */
export type Place = { continent?: string; country?: string; longitude?: string }

/** Countries whose continent would suggest a region that is further away. */
const exceptions: Record<string, Region> = {
  ...of('me', 'AE BH EG IL IQ IR JO KW LB OM PS QA SA SY YE'),
  ...of('eeur', 'AM AZ CY GE TR'),
}

/** Dallas and Mexico City are east of it, Denver is west of it. */
const middleOfNorthAmerica = -100
/** Berlin and Stockholm are west of it, Budapest and Warsaw are east of it. */
const middleOfEurope = 19

/** The region nearest to a person, for the objects that serve them. Null if the place is unknown. */
export function regionOf({ continent, country, longitude }: Place): Region | null {
  const exception = exceptions[country ?? '']
  if (exception) return exception
  const degrees = Number(longitude ?? Number.NaN)
  switch (continent) {
    case 'NA':
      return degrees < middleOfNorthAmerica ? 'wnam' : 'enam'
    case 'SA':
      return 'sam'
    case 'EU':
      return degrees > middleOfEurope ? 'eeur' : 'weur'
    case 'AS':
      return 'apac'
    case 'OC':
      return 'oc'
    case 'AF':
      return 'afr'
    default:
      return null
  }
}

function of(region: Region, countries: string): Record<string, Region> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, region]))
}
