import { and, eq, gt, inArray, isNull, or } from 'drizzle-orm'
import { dayMs } from '#domain/time.ts'
import type { Db } from '../db/d1.ts'
import { agentCredential } from '../db/schema.ts'
import { newSecret, sameHash, sha256 } from './secrets.ts'

/** How long a replaced credential keeps working, unless the owner revokes it immediately. */
export const replacedCredentialMs = dayMs
const cacheMs = 30_000 // 30 seconds
const cacheSize = 5_000

/** The agent that a credential belongs to. `credentialHash` identifies the credential that was used. */
export type ResolvedAgent = { userId: string; agentId: string; clientId: string; credentialHash: string }

/** Creates secrets, which are shown once, and their hashes, which are stored. */
export function mintCredentials() {
  return { clientId: `bc_${newSecret().slice(0, 22)}`, ...mintSecret(), ...mintApiKey() }
}

export function mintSecret() {
  const clientSecret = newSecret('bs_')
  return { clientSecret, secretHash: sha256(clientSecret) }
}

export function mintApiKey() {
  const apiKey = newSecret('bk_')
  return { apiKey, apiKeyHash: sha256(apiKey) }
}

/** Must be called before the secrets are returned. Idempotent for the same hashes. */
export async function storeCredentials(
  db: Db,
  input: { userId: string; agentId: string; clientId: string; secretHash?: string; apiKeyHash?: string; now: number },
): Promise<void> {
  const { userId, agentId, clientId, secretHash, apiKeyHash, now } = input
  const row = (kind: 'secret' | 'api_key', hash: string) => ({ hash, kind, userId, agentId, clientId, createdAt: now })
  const rows = [...(secretHash ? [row('secret', secretHash)] : []), ...(apiKeyHash ? [row('api_key', apiKeyHash)] : [])]
  if (rows.length > 0) await db.insert(agentCredential).values(rows).onConflictDoNothing()
}

/** Removes credentials that were stored but never returned, because creating or replacing them failed. */
export async function discardCredentials(db: Db, hashes: string[]): Promise<void> {
  await db.delete(agentCredential).where(inArray(agentCredential.hash, hashes))
}

/** After a regeneration: makes all other credentials of this kind expire at `endsAt` (ms), unless they expire earlier. */
export async function replaceCredentials(
  db: Db,
  input: { userId: string; agentId: string; kind: 'secret' | 'api_key'; keepHash: string; endsAt: number },
): Promise<void> {
  const { userId, agentId, kind, keepHash, endsAt } = input
  const rows = await db
    .select({ hash: agentCredential.hash })
    .from(agentCredential)
    .where(
      and(
        eq(agentCredential.userId, userId),
        eq(agentCredential.agentId, agentId),
        eq(agentCredential.kind, kind),
        isNull(agentCredential.revokedAt),
        or(isNull(agentCredential.expiresAt), gt(agentCredential.expiresAt, endsAt)),
      ),
    )
  for (const { hash } of rows) {
    if (hash === keepHash) continue
    await db.update(agentCredential).set({ expiresAt: endsAt }).where(eq(agentCredential.hash, hash))
    cache.delete(hash)
  }
}

/** Revokes all credentials of a deleted agent. */
export async function revokeCredentials(db: Db, userId: string, agentId: string, now: number): Promise<void> {
  const rows = await db
    .update(agentCredential)
    .set({ revokedAt: now })
    .where(
      and(eq(agentCredential.userId, userId), eq(agentCredential.agentId, agentId), isNull(agentCredential.revokedAt)),
    )
    .returning({ hash: agentCredential.hash })
  for (const { hash } of rows) cache.delete(hash)
}

// Saves a D1 read per call. Safe because the Treasury checks the agent on every call.
const cache = new Map<string, { agent: ResolvedAgent; until: number }>()

/** Null if the key is unknown, expired or revoked. Another isolate may accept a revoked key for 30 more seconds. */
export async function resolveApiKey(db: () => Db, apiKey: string, now: number): Promise<ResolvedAgent | null> {
  const hash = sha256(apiKey)
  const known = cache.get(hash)
  if (known && known.until > now) return known.agent
  cache.delete(hash)
  const row = await db()
    .select()
    .from(agentCredential)
    .where(and(eq(agentCredential.hash, hash), eq(agentCredential.kind, 'api_key')))
    .get()
  if (!row || !isValid(row, now)) return null
  const agent = { userId: row.userId, agentId: row.agentId, clientId: row.clientId, credentialHash: hash }
  if (cache.size >= cacheSize) cache.clear()
  cache.set(hash, { agent, until: Math.min(now + cacheMs, row.expiresAt ?? Number.POSITIVE_INFINITY) })
  return agent
}

/** Null for an unknown client or a wrong secret. While a secret is being replaced, both the old and the new one work. */
export async function resolveClient(
  db: Db,
  clientId: string,
  secret: string,
  now: number,
): Promise<ResolvedAgent | null> {
  const hash = sha256(secret)
  const rows = await db
    .select()
    .from(agentCredential)
    .where(and(eq(agentCredential.clientId, clientId), eq(agentCredential.kind, 'secret')))
  const row = rows.find((candidate) => isValid(candidate, now) && sameHash(candidate.hash, hash))
  return row ? { userId: row.userId, agentId: row.agentId, clientId: row.clientId, credentialHash: row.hash } : null
}

const isValid = (row: { expiresAt: number | null; revokedAt: number | null }, now: number) =>
  row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now)
