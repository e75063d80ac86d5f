import { type Refused, refuse } from '../../result.ts'
import type { Principal } from '../core/rpcTypes.ts'
import type { Store } from '../storage/store.ts'

/** Access tokens that were revoked before they expired (RFC 7009). Held in memory, so that the check needs no query. */
export class RevokedTokens {
  readonly #store: Store
  readonly #endsAt: Map<string, number>

  constructor(store: Store) {
    this.#store = store
    const rows = store.all<{ id: string; ends_at: number }>('SELECT id, ends_at FROM revoked_token')
    this.#endsAt = new Map(rows.map(({ id, ends_at }) => [id, ends_at]))
  }

  /** `endsAt` is when the token expires (ms). */
  revoke(id: string, endsAt: number, now: number): void {
    this.#store.transaction(() => {
      this.#store.run('DELETE FROM revoked_token WHERE ends_at < ?', now)
      this.#store.run('INSERT OR REPLACE INTO revoked_token (id, ends_at) VALUES (?, ?)', id, endsAt)
    })
    for (const [old, at] of this.#endsAt) if (at < now) this.#endsAt.delete(old)
    this.#endsAt.set(id, endsAt)
  }

  refusal(principal: Principal): Refused | null {
    if (principal.type === 'user' || !principal.tokenId || !this.#endsAt.has(principal.tokenId)) return null
    return refuse('unauthenticated', 'Authentication failed: this access token was revoked. Ask for a new one.')
  }
}
