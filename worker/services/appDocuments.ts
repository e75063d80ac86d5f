import { z } from 'zod'
import { appName } from '#domain/appName.ts'
import { redirectTarget } from '#domain/redirectUri.ts'
import { webhookRulesOf, webhookUrlProblem } from '#domain/webhookUrl.ts'
import type { Deps } from '../appEnv.ts'
import { boundedText } from '../boundedText.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'

/**
 * Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): the client id is the address of a page where the
 * app says its name and its redirects. The caller must have a signed-in person's request, or a code that we issued: strangers
 * must not make this server fetch addresses of their choice.
 */

/** `name` is null if it cannot be shown. `hash`: of everything that a person consented to, to notice a change. */
export type AppDocument = { name: string | null; redirectUris: string[]; hash: string }

const maxBytes = 5_120
const timeoutMs = 5_000 // 5 seconds
const maxAgeSeconds = 3_600 // 1 hour
const maxCached = 500

/** In this isolate's memory, oldest first. `until` in ms. */
const cache = new Map<string, { document: AppDocument; until: number }>()

const Metadata = z.object({
  client_id: z.string(),
  client_name: z.unknown(),
  redirect_uris: z.array(z.string()).min(1).max(50),
  token_endpoint_auth_method: z.literal('none').optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})

/** Why nothing may be fetched from this client id, as half a sentence, or null. */
export function documentProblem(
  env: Pick<Env, 'ENVIRONMENT' | 'API_ORIGIN' | 'APP_ORIGIN'>,
  id: string,
): string | null {
  const problem = webhookUrlProblem(id, webhookRulesOf(env))
  if (problem !== null) return problem.replace(/^./, (letter) => letter.toLowerCase())
  const url = new URL(id)
  return url.href === id && url.pathname !== '/' && url.hash === ''
    ? null
    : 'it must be the full address of a document, in its normal form, without a fragment'
}

/** Fetches what an app says about itself, or takes it from memory as its headers allow. Throws `unprocessable`. */
export async function appDocument({ env, now }: Pick<Deps, 'env' | 'now'>, id: string): Promise<AppDocument> {
  const known = cache.get(id)
  if (known && known.until > now()) return known.document
  const problem = documentProblem(env, id)
  if (problem !== null) throw unusable(problem)
  const { text, keepSeconds } = await fetchText(id)
  const document = documentIn(id, text, [env.API_ORIGIN, env.APP_ORIGIN])
  cache.delete(id)
  if (keepSeconds > 0) cache.set(id, { document, until: now() + keepSeconds * 1000 })
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break
    cache.delete(oldest)
  }
  return document
}

function documentIn(id: string, text: string, own: string[]): AppDocument {
  const parsed = Metadata.safeParse(jsonOf(text))
  if (!parsed.success) throw unusable('it is not the metadata of an app without a secret')
  const { client_id, client_name, redirect_uris, grant_types, response_types } = parsed.data
  if (client_id !== id) throw unusable('it describes another app')
  if (grant_types && !grant_types.includes('authorization_code')) throw unusable('it does not use authorization codes')
  if (response_types && !response_types.includes('code')) throw unusable('it does not use authorization codes')
  const redirectUris = redirect_uris.filter((uri) => redirectTarget(uri, own) !== null)
  const name = appName(client_name)
  return { name, redirectUris, hash: sha256(JSON.stringify([id, name, redirectUris])) }
}

async function fetchText(url: string): Promise<{ text: string; keepSeconds: number }> {
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
    throw unusable('it could not be read within 5 seconds')
  }
  throw unusable('it is missing, larger than 5 kB, or elsewhere')
}

function keepSecondsOf(cacheControl: string): number {
  if (/\b(no-store|no-cache|private)\b/i.test(cacheControl)) return 0
  return Math.min(maxAgeSeconds, Number(/\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1] ?? 0))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const unusable = (why: string) =>
  new AppError('unprocessable', `What this app says about itself cannot be used: ${why}. Contact its developer.`)
