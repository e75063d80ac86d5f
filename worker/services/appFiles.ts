import { minuteMs } from '#domain/time.ts'
import { webhookRulesOf, webhookUrlProblem } from '#domain/webhookUrl.ts'
import type { Deps } from '../appEnv.ts'
import { boundedText } from '../boundedText.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { consumeQuota, websiteFetches } from './quotas.ts'

/**
 * JSON files that apps publish on their websites: metadata documents and public keys. The caller must have a signed-in person's
 * request, or a code or token of ours that is valid: strangers must not make this server fetch addresses of their choice.
 */

export type AppFile = {
  url: string
  maxBytes: number
  /** Whose request needs it, for the limit of fetches. */
  userId: string
}

const timeoutMs = 5_000 // 5 seconds
const maxAgeSeconds = 3_600 // 1 hour
const minAgeSeconds = 60 // 1 minute
const maxCached = 500

/** Parsed JSON in this isolate's memory, oldest first. Times in ms. */
const cache = new Map<string, { json: unknown; fetchedAt: number; until: number }>()

/** Why nothing may be fetched from this address, as half a sentence, or null. */
export function addressProblem(
  env: Pick<Env, 'ENVIRONMENT' | 'API_ORIGIN' | 'APP_ORIGIN'>,
  text: string,
): string | null {
  const problem = webhookUrlProblem(text, webhookRulesOf(env))
  return problem === null ? null : problem.replace(/^./, (letter) => letter.toLowerCase())
}

/**
 * The JSON at this address, which has no problem, or from memory: for as long as its headers allow, but at least a minute and
 * at most an hour, and not from before `notBefore` (ms). Throws AppUnusable, AppUnreachable or `rate_limited`.
 */
export async function appFile(
  { now }: Pick<Deps, 'now'>,
  { url, maxBytes, userId }: AppFile,
  notBefore = 0,
): Promise<unknown> {
  const known = cache.get(url)
  if (known && known.until > now() && known.fetchedAt >= notBefore) return known.json
  consumeQuota(websiteFetches, userId, now())
  const fetchedAt = now()
  const { text, keepSeconds } = await fetchText(url, maxBytes)
  const json = jsonOf(text)
  cache.delete(url)
  cache.set(url, { json, fetchedAt, until: fetchedAt + keepSeconds * 1000 })
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break
    cache.delete(oldest)
  }
  return json
}

/** Another fetch of the same address would only repeat what it replied. */
export const justFetched = minuteMs

async function fetchText(url: string, maxBytes: number): Promise<{ text: string; keepSeconds: number }> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'Bursar-Connect/1' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = response.status === 200 ? await boundedText(response, maxBytes) : null
    if (text === null) await response.body?.cancel().catch(() => {})
    else return { text, keepSeconds: keepSecondsOf(response.headers.get('cache-control') ?? '') }
  } catch {
    throw new AppUnreachable('it could not be read within 5 seconds')
  }
  throw new AppUnreachable(`it is missing, larger than ${Math.floor(maxBytes / 1024)} kB, or elsewhere`)
}

function keepSecondsOf(cacheControl: string): number {
  if (/\b(no-store|no-cache|private)\b/i.test(cacheControl)) return minAgeSeconds
  const maxAge = Number(/\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1] ?? 0)
  return Math.min(maxAgeSeconds, Math.max(minAgeSeconds, maxAge))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What an app publishes about itself is not what it has to be. `why` is half a sentence. */
export class AppUnusable extends AppError {
  constructor(why: string) {
    super('unprocessable', `What this app says about itself cannot be used: ${why}. Contact its developer.`)
  }
}

/** It could not be read, which may be different later. */
export class AppUnreachable extends AppUnusable {}
