import type { Context } from 'hono'

/** The caller's network address as Cloudflare saw it; for limits only. */
export const callerAddress = (c: Context) => c.req.header('cf-connecting-ip') ?? 'unknown'
