import type { ExportedRow } from '../db/exports.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../identity/secrets.ts'
import { keyring } from '../keyrings/keyring.ts'
import { Sealer } from '../keyrings/sealer.ts'

/** A part of an export: rows of one table, sealed under the KEK. `sha256` is the hash of the sealed text. */
export type Part = { key: string; sha256: string; table: string }
/** Lists the parts of an export. Also sealed, and written last. Times in ms. */
export type Manifest = { run: string; startedAt: number; finishedAt: number; parts: Part[] }

const manifests = 'exports/manifests/'
const parts = 'exports/parts/'
export const manifestKey = (run: string) => `${manifests}${run}`
/** Every attempt at a part has its own key, so that no attempt overwrites a part that another has recorded. */
export const partKey = (run: string, part: number) =>
  `${parts}${run}/${String(part).padStart(6, '0')}-${crypto.randomUUID().slice(0, 8)}`

const sealer = (env: Env, now: number) => new Sealer(keyring(env, 'KEK'), () => now)

/** Seals the content, binds it to its key and stores it. Returns the hash of the stored text. */
export async function putSealed(env: Env, key: string, content: unknown, now: number): Promise<string> {
  const text = await sealer(env, now).seal(JSON.stringify(content), key)
  await env.BACKUP.put(key, text)
  return sha256(text)
}

/** Throws an AppError that names the object if it is missing, altered or cannot be opened. `hash` is null if unknown. */
async function getSealed<T>(env: Env, key: string, hash: string | null): Promise<T> {
  const object = await env.BACKUP.get(key)
  if (!object) throw new AppError('not_found', `${key} is missing from the bucket. None of it was restored.`)
  const text = await object.text()
  const altered = `${key} was altered, or is sealed under a key that was removed. None of it was restored.`
  if (hash !== null && sha256(text) !== hash) throw new AppError('unprocessable', altered)
  try {
    return JSON.parse(await sealer(env, 0).open(text, key)) as T
  } catch {
    throw new AppError('unprocessable', altered)
  }
}

export const readPart = (env: Env, part: Part) => getSealed<ExportedRow[]>(env, part.key, part.sha256)

/** Reads the manifest of this export, or of the newest one. Throws AppError if there is none. */
export async function readManifest(env: Env, run: string | null): Promise<Manifest> {
  const name = run ?? (await finishedRuns(env)).at(-1)
  if (name === undefined) throw new AppError('not_found', 'There is no finished export in the bucket.')
  return getSealed<Manifest>(env, manifestKey(name), null)
}

/** Throws an AppError that names the first missing part, if any. */
export async function requireParts(env: Env, { run, parts: wanted }: Manifest): Promise<void> {
  const found = new Set(await keysBelow(env, `${parts}${run}/`))
  const missing = wanted.find(({ key }) => !found.has(key))
  if (missing) throw new AppError('not_found', `${missing.key} is missing from the bucket. Nothing was restored.`)
}

/** Names of finished exports, oldest first. */
export const finishedRuns = async (env: Env): Promise<string[]> =>
  (await keysBelow(env, manifests)).map((key) => key.slice(manifests.length))

/** Deletes an export; its manifest last. */
export async function deleteExport(env: Env, run: string): Promise<void> {
  const keys = await keysBelow(env, `${parts}${run}/`)
  for (let i = 0; i < keys.length; i += 1_000) await env.BACKUP.delete(keys.slice(i, i + 1_000))
  await env.BACKUP.delete(manifestKey(run))
}

async function keysBelow({ BACKUP }: Env, prefix: string): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await BACKUP.list({ prefix, ...(cursor !== undefined && { cursor }) })
    keys.push(...page.objects.map(({ key }) => key))
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return keys
}
