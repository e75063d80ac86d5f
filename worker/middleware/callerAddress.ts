import type { Context } from 'hono'

/** The caller's network address as Cloudflare saw it; for limits only. */
export const callerAddress = (c: Context) => asOneCaller(c.req.header('cf-connecting-ip') ?? 'unknown')

/** Of an IPv6 address its /64: one subscriber has all of it, and would else never meet a limit. */
export function asOneCaller(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const [before, after] = [groups(head), groups(tail ?? '')]
  // An IPv4 address at the end stands for two groups.
  const given = before.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - given)).fill('0')
  const first = [...before, ...zeros, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  // IPv4 as IPv6: the /64 would be the whole of IPv4.
  const v4 = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1]
  return v4 ?? `${first.join(':')}::/64`
}
