import type { ComponentType } from 'react'
import { eachFilter, paymentNotes } from '#domain/paymentNotes.ts'
import { networkName } from '../lib/networks.ts'

/**
 * One filter of a list. Its value is text, the same in the URL as in the API's parameter of that name; several values are
 * separated by commas.
 */
export type Filter = {
  /** The valid part of a text from a URL, which is untrusted. Empty if nothing in it is valid. */
  parse: (text: string) => string
  /** The active filter in words. A hook, because names may have to be loaded. */
  useText: (value: string) => string
  /** Its field in the filter dialog. Absent if only links set the filter. */
  field?: FilterField
  /** Stays out of the URL, because it holds names or contact details. */
  isPersonal?: true
}

export type FilterField =
  | { kind: 'text'; label: string; hint?: string | undefined; maxLength: number }
  | { kind: 'choices'; label: string; options: Labels }
  /** `all` is the choice of any. */
  | { kind: 'select'; label: string; options: Labels; all: string }
  | { kind: 'custom'; Field: ComponentType<FilterFieldProps>; isHalf?: true }
/** The values to choose from, with their labels. */
type Labels = Record<string, string>

/** `value` is empty while the filter is not set. */
export type FilterFieldProps = { value: string; onChange: (value: string) => void }

export const partsOf = (value: string) => value.split(',').filter(Boolean)

/** Text to search for. */
export const text = (name: string, { label = name, ...rest }: { label?: string; hint?: string; maxLength: number }) =>
  ({
    parse: (value) => value.slice(0, rest.maxLength),
    useText: (value) => `${name}: ${value}`,
    field: { kind: 'text', label, ...rest },
  }) satisfies Filter

/** Payments with exactly these notes. */
export const noteFilters = eachFilter((name) => {
  const { label, max } = paymentNotes[name]
  return text(label, { hint: `The whole ${label.toLowerCase()}, exactly as it was given`, maxLength: max })
})

export const personal = (filter: Filter) => ({ ...filter, isPersonal: true as const })

export const oneOf = (name: string, all: string, options: Labels) =>
  ({
    parse: (value) => (Object.hasOwn(options, value) ? value : ''),
    useText: (value) => `${name}: ${options[value]}`,
    field: { kind: 'select', label: name, options, all },
  }) satisfies Filter

/** Any of a few values. */
export function anyOf(name: string, options: Labels) {
  const chosenIn = (text: string) => Object.keys(options).filter((value) => partsOf(text).includes(value))
  return {
    parse: (text) => chosenIn(text).join(','),
    useText: (text) =>
      `${name}: ${chosenIn(text)
        .map((value) => options[value])
        .join(', ')}`,
    field: { kind: 'choices', label: name, options },
  } satisfies Filter
}

/** Set by links of figures. */
export const network = oneOf('Network', 'All networks', {
  base: networkName('base'),
  'base-sepolia': networkName('base-sepolia'),
})

type Named = Pick<Filter, 'useText' | 'field'>

/** An id; `useText` loads its name. */
export const id = (named: Named) => ({ parse: (value: string) => value, ...named })

/** Up to 20 addresses, in any case. */
export const addresses = (named: Named) => ({
  parse: (value: string) =>
    partsOf(value)
      .filter((one) => /^0x[0-9a-fA-F]{40}$/.test(one))
      .slice(0, 20)
      .join(','),
  ...named,
})
