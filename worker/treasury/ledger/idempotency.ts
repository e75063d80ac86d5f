import { createHash } from 'node:crypto'
import { canonicalJson } from '#domain/json.ts'
import { ok, type Refused, type Result, refuse } from '../../result.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { Store } from '../core/storage/store.ts'

/** A request with an Idempotency-Key. Each agent, the user and runs have their own key space, that of agents shared by REST and MCP. */
export type IdempotentRequest = { key: string; fingerprint: string }

/** `content` is the whole parsed request, however it was written. Null if the caller sent no key. */
export const idempotentRequest = (
  principal: Principal,
  key: string | null,
  content: unknown,
): IdempotentRequest | null =>
  key === null
    ? null
    : {
        key: `${principal.type === 'agent' ? principal.agentId : principal.type}|${key}`,
        fingerprint: fingerprintOf(content),
      }

/** Payments are short enough to be stored as they are; longer content is hashed. */
function fingerprintOf(content: unknown): string {
  const text = canonicalJson(content)
  return text.length <= 1_000 ? text : createHash('sha256').update(text).digest('hex')
}

export const reusedKey: Refused = refuse(
  'idempotency_key_reused',
  'This Idempotency-Key was used before with a different request, so nothing was done now. Use a new key only if this is another payment.',
  { field: 'Idempotency-Key' },
)

/** The id of what an earlier request with this key created, or a refusal if its content differs. Null for a new key. */
export function findReplay(store: Store, request: IdempotentRequest | null): Result<string> | null {
  if (request === null) return null
  const row = store.first<{ fingerprint: string; ref: string }>(
    'SELECT fingerprint, ref FROM idempotency WHERE key = ?',
    request.key,
  )
  if (!row) return null
  return row.fingerprint === request.fingerprint ? ok(row.ref) : reusedKey
}

/** Binds the key permanently to what was created. Called in the transaction that creates it. */
export function remember(
  store: Store,
  request: IdempotentRequest | null,
  kind: string,
  ref: string,
  now: number,
): void {
  if (request !== null) store.insert('idempotency', { ...request, kind, ref, created_at: now })
}
