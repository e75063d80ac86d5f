import { type Refused, refuse } from '../../result.ts'
import type { Principal } from '../api.ts'
import type { Store } from '../storage/store.ts'

const keyOf = (tokenId: string) => `revoked_token:${tokenId}`

/** Access tokens that were revoked before they expired (RFC 7009). Held in memory, so that the check needs no query. */
export class RevokedTokens {
  readonly #store: Store
  readonly #endsAt: Map<string, number>

  constructor(store: Store) {
    this.#store = store
    const rows = store.all<{ key: string; value: string }>(
      "SELECT key, value FROM meta WHERE key GLOB 'revoked_token:*'",
    )
    this.#endsAt = new Map(rows.map(({ key, value }) => [key.slice(keyOf('').length), Number(value)]))
  }

  /** `endsAt` is when the token expires (ms). */
  revoke(id: string, endsAt: number, now: number): void {
    this.#store.transaction(() => {
      for (const [old, at] of this.#endsAt) if (at < now) this.#store.run('DELETE FROM meta WHERE key = ?', keyOf(old))
      this.#store.setMeta(keyOf(id), String(endsAt))
    })
    for (const [old, at] of this.#endsAt) if (at < now) this.#endsAt.delete(old)
    this.#endsAt.set(id, endsAt)
  }

  refusal(principal: Principal): Refused | null {
    if (principal.type === 'user' || !principal.tokenId || !this.#endsAt.has(principal.tokenId)) return null
    return refuse('unauthenticated', 'Authentication failed: this access token was revoked. Ask for a new one.')
  }
}
