import { asciiDomain } from '../email.ts'
import type { MicroUsdc } from '../money.ts'

/** Hosts that purchases may be made from, and the most that one purchase there may cost; null: any amount. */
export type HostLimit = { pattern: string; maxAmount: MicroUsdc | null }

/** Names that only local builds accept as sellers. */
const loopback = /^(localhost|127(\.\d{1,3}){3})$/i

/**
 * A pattern in the form in which hosts of resources are written: lower case, punycode, and a port only if it is not the usual
 * one. `*.example.com` means all subdomains, at any depth, and not example.com itself. Null if the text is no pattern.
 */
export function normalHostPattern(text: string): string | null {
  const [, wildcard = '', name = '', port = ''] = /^(\*\.)?([^*:]+)(:\d{1,5})?$/.exec(text.trim()) ?? []
  const isLocal = wildcard === '' && loopback.test(name)
  const ascii = isLocal ? name.toLowerCase() : asciiDomain(name)
  if (ascii === null) return null
  try {
    return wildcard + new URL(`${isLocal ? 'http' : 'https'}://${ascii}${port}`).host
  } catch {
    return null // the port is too large
  }
}

const isWildcard = (pattern: string) => pattern.startsWith('*.')
const matches = (pattern: string, host: string) =>
  isWildcard(pattern) ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern

/** The entry that decides about a host: that of the host itself, else of the longest domain above it. Null if none does. */
export function limitOfHost(limits: readonly HostLimit[], host: string): HostLimit | null {
  const found = limits.filter(({ pattern }) => matches(pattern, host))
  return found.toSorted((a, b) => rank(b.pattern) - rank(a.pattern))[0] ?? null
}
const rank = (pattern: string) => (isWildcard(pattern) ? pattern.length : Number.POSITIVE_INFINITY)

/** Whether some host could be paid more by `after` than by `before`. */
export function isLooserForHosts(before: readonly HostLimit[], after: readonly HostLimit[]): boolean {
  // Between these patterns nothing changes. As a host, `*.example.com` is one that only wildcards match.
  return [...before, ...after].some(({ pattern }) => {
    const [was, is] = [limitOfHost(before, pattern), limitOfHost(after, pattern)]
    if (is === null) return false
    if (was === null) return true
    return was.maxAmount !== null && (is.maxAmount === null || is.maxAmount > was.maxAmount)
  })
}

/** The position of the first entry whose pattern an earlier one has; null if there is none. */
export function repeatedHost(limits: readonly { pattern: string }[]): number | null {
  const patterns = limits.map(({ pattern }) => pattern)
  const position = patterns.findIndex((pattern, i) => patterns.indexOf(pattern) < i)
  return position < 0 ? null : position
}
