/** A token bucket: `tokens` were left at `at` (ms) and refill at a steady rate up to the burst. */
export type Bucket = { tokens: number; at: number }
export type Rate = { perSecond: number; burst: number }

export type Taken = { ok: true; bucket: Bucket } | { ok: false /** ms until a token is available */; waitMs: number }

/** The bucket at `now`. A clock that went back refills nothing. */
export function refill(bucket: Bucket | null, { perSecond, burst }: Rate, now: number): Bucket {
  if (bucket === null) return { tokens: burst, at: now }
  const elapsedMs = Math.max(0, now - bucket.at)
  return { tokens: Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000), at: Math.max(bucket.at, now) }
}

/** Takes one token. A null bucket has never been used and is full. */
export function takeToken(bucket: Bucket | null, rate: Rate, now: number): Taken {
  const { tokens, at } = refill(bucket, rate, now)
  if (tokens >= 1) return { ok: true, bucket: { tokens: tokens - 1, at } }
  const missing = 1 - tokens
  return {
    ok: false,
    waitMs: rate.perSecond === 0 ? Number.POSITIVE_INFINITY : at - now + (missing * 1000) / rate.perSecond,
  }
}
