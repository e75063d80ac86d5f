import { formatUsdc, type MicroUsdc, maxAmount, parseUsdc } from '../money.ts'
import { type HostLimit, isLooserForHosts } from './hostPatterns.ts'
import { isTimeZone, weekDays } from './timeZone.ts'

/** The kinds of input that a rule's value consists of. Schemas, storage and the editor follow from them. */

/** `looser`: which change of it lets agents pay more. Default: any change, or a larger value. */
type Common = { label: string; hint?: string; looser?: 'less' | 'never' }

export type Input = Common &
  (
    | { kind: 'amount'; zero?: true }
    /** `error` begins a sentence that ends with the range: 'An approval must wait' '1 to 168 hours'. */
    | { kind: 'whole'; least: number; most: number; unit: string; error: string }
    /** `normal` returns the entry as it is stored, or null if it is not valid. `what` and `example` are for messages. */
    | { kind: 'list'; normal: (entry: string) => string | null; what: string; example: string; placeholder: string }
    /** Patterns of hosts, each with the most that one payment may be. */
    | { kind: 'hosts' }
    | { kind: 'switch' }
    | { kind: 'choice'; options: Readonly<Record<string, string>> }
    | { kind: 'days' }
    | { kind: 'time' }
    | { kind: 'zone' }
  )

export type InputValue<I extends Input> = I extends { kind: 'amount' }
  ? MicroUsdc
  : I extends { kind: 'whole' }
    ? number
    : I extends { kind: 'list' | 'days' }
      ? string[]
      : I extends { kind: 'hosts' }
        ? HostLimit[]
        : I extends { kind: 'switch' }
          ? boolean
          : I extends { kind: 'choice'; options: infer Options }
            ? keyof Options & string
            : string

export const maxHosts = 50

export const whenExceeded = {
  kind: 'choice',
  label: 'Otherwise',
  options: { refuse: 'Refuse', ask: 'Ask me' },
  looser: 'never',
} as const satisfies Input

export const isTimeOfDay = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** Money as text; everything else is JSON already. Also how replies show it. */
export function storedInput(value: unknown): unknown {
  if (typeof value === 'bigint') return formatUsdc(value)
  if (Array.isArray(value)) return value.map(storedInput)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, storedInput(part)]))
}

const readAmount = (stored: unknown, zero = false): MicroUsdc | undefined => {
  const amount = typeof stored === 'string' ? parseUsdc(stored) : null
  return amount !== null && amount <= maxAmount && (amount > 0n || zero) ? amount : undefined
}

function readHostLimit(stored: unknown): HostLimit | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { pattern, maxAmount: most, ...other } = stored as Record<string, unknown>
  const amount = most === null ? null : readAmount(most)
  const isKnown = typeof pattern === 'string' && pattern !== '' && Object.keys(other).length === 0
  return isKnown && amount !== undefined ? { pattern, maxAmount: amount } : undefined
}

/** A stored value; undefined if it is not valid. Amounts are decimal text. */
export function readInput(input: Input, stored: unknown): unknown {
  switch (input.kind) {
    case 'amount':
      return readAmount(stored, input.zero)
    case 'whole':
      return Number.isInteger(stored) && Number(stored) >= input.least && Number(stored) <= input.most
        ? stored
        : undefined
    case 'list':
      return Array.isArray(stored) && stored.length > 0 && stored.every((entry) => typeof entry === 'string')
        ? stored
        : undefined
    case 'hosts': {
      const limits = Array.isArray(stored) ? stored.map(readHostLimit) : []
      return limits.length > 0 && limits.every((limit) => limit !== undefined) ? limits : undefined
    }
    case 'switch':
      return typeof stored === 'boolean' ? stored : undefined
    case 'choice':
      return typeof stored === 'string' && Object.hasOwn(input.options, stored) ? stored : undefined
    case 'days':
      return Array.isArray(stored) && stored.length > 0 && stored.every((day) => Object.hasOwn(weekDays, day))
        ? stored
        : undefined
    case 'time':
      return typeof stored === 'string' && isTimeOfDay(stored) ? stored : undefined
    case 'zone':
      return typeof stored === 'string' && isTimeZone(stored) ? stored : undefined
  }
}

/** Whether a change of this input, from one value to another, lets agents pay more. */
export function isLooserInput({ looser, kind }: Input, before: unknown, after: unknown): boolean {
  if (looser === 'never') return false
  if (kind === 'amount' || kind === 'whole')
    return looser === 'less' ? Number(after) < Number(before) : (after as number | bigint) > (before as number | bigint)
  if (kind === 'list') {
    const [wider, narrower] = (looser === 'less' ? [before, after] : [after, before]) as [string[], string[]]
    return wider.some((entry) => !narrower.includes(entry))
  }
  if (kind === 'hosts') return isLooserForHosts(before as HostLimit[], after as HostLimit[])
  if (kind === 'switch') return before === true && after === false
  return JSON.stringify(before) !== JSON.stringify(after)
}
