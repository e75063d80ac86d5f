import { isoOf } from '../time.ts'

/** Parts of the sentences of rules. */

/** A long list is only counted. */
export const anyOf = (names: readonly string[]) =>
  names.length > 5 ? `one of ${names.length} allowed values` : names.join(' or ')

/** A, B and C. */
export const listText = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export const hoursText = (hours: number) => (hours === 1 ? '1 hour' : `${hours} hours`)

/** ', wait until 2026-11-21T00:00:00.000Z', or nothing. */
export const waitText = (resetsAt: number | null) => (resetsAt === null ? '' : `, wait until ${isoOf(resetsAt)}`)

/** What the owner has chosen to happen instead of refusing. */
export const askedText = (whenExceeded: string) => (whenExceeded === 'ask' ? ' Others need approval.' : '')
