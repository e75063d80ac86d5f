import { createHash } from 'node:crypto'
import type { Refused } from '../errors.ts'
import type { Store } from './store.ts'
import type { Principal } from './types.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** One space of keys per agent, and one for the user; REST and MCP share it. */
export function keyHash(principal: Principal, key: string): string {
  return sha256(`${principal.type === 'agent' ? principal.agentId : 'user'}|${key}`)
}

/** Of what was asked, not of how it was written. */
export const fingerprintOf = (asked: unknown): string =>
  sha256(JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? value.toString() : value)))

export const reusedKey: Refused = {
  ok: false,
  code: 'idempotency_key_reused',
  message: 'This Idempotency-Key was used before with a different request. Use a new key for a new payment.',
  field: 'Idempotency-Key',
}

/** The earlier result under this key: its id, 'reused' when something else was asked then, null when it is new. */
export function earlier(store: Store, hash: string, fingerprint: string): { ref: string } | 'reused' | null {
  const row = store.first<{ fingerprint: string; ref: string }>(
    'SELECT fingerprint, ref FROM idempotency WHERE key_hash = ?',
    hash,
  )
  if (!row) return null
  return row.fingerprint === fingerprint ? { ref: row.ref } : 'reused'
}

export function remember(
  store: Store,
  hash: string,
  fingerprint: string,
  kind: string,
  ref: string,
  now: number,
): void {
  store.run(
    'INSERT INTO idempotency (key_hash, fingerprint, kind, ref, created_at) VALUES (?, ?, ?, ?, ?)',
    hash,
    fingerprint,
    kind,
    ref,
    now,
  )
}
