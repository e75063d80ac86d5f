import { createHash } from 'node:crypto'
import type { Refused } from '../errors.ts'
import type { Store } from './store.ts'
import type { Principal } from './types.ts'

/** One space of keys per agent, and one for the user; REST and MCP share it. */
export const keyOf = (principal: Principal, key: string): string =>
  `${principal.type === 'agent' ? principal.agentId : 'user'}|${key}`

/** What was asked, not how it was written. Payments are short enough to be kept as they are. */
export function fingerprintOf(asked: unknown): string {
  const text = JSON.stringify(asked, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  return text.length <= 1_000 ? text : createHash('sha256').update(text).digest('hex')
}

export const reusedKey: Refused = {
  ok: false,
  code: 'idempotency_key_reused',
  message: 'This Idempotency-Key was used before with a different request. Use a new key for a new payment.',
  field: 'Idempotency-Key',
}

/** The earlier result under this key: its id, 'reused' when something else was asked then, null when it is new. */
export function earlier(store: Store, key: string, fingerprint: string): { ref: string } | 'reused' | null {
  const row = store.first<{ fingerprint: string; ref: string }>(
    'SELECT fingerprint, ref FROM idempotency WHERE key = ?',
    key,
  )
  if (!row) return null
  return row.fingerprint === fingerprint ? { ref: row.ref } : 'reused'
}

export function remember(store: Store, key: string, fingerprint: string, kind: string, ref: string, now: number): void {
  store.run(
    'INSERT INTO idempotency (key, fingerprint, kind, ref, created_at) VALUES (?, ?, ?, ?, ?)',
    key,
    fingerprint,
    kind,
    ref,
    now,
  )
}
