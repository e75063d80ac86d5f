import type { Context } from 'hono'
import ipaddr from 'ipaddr.js'

/** The caller's network address as seen by Cloudflare, for limits only. */
export const callerAddress = (c: Context) => subscriberAddress(c.req.header('cf-connecting-ip') ?? 'unknown')

/** The IPv4 address, or the /64 network of an IPv6 address: a subscriber has all of it and could otherwise evade limits. */
export function subscriberAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address
  // Also turns IPv4-mapped IPv6 into IPv4, because its /64 would cover all of IPv4.
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
