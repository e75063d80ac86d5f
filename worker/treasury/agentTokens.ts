import { allScopes, type Scope } from '../domain/scopes.ts'
import type { Refused, Result } from '../errors.ts'
import type { Store } from './store.ts'
import type { Principal } from './types.ts'

const keyOf = (tokenId: string) => `revoked_token:${tokenId}`

/** Access tokens that were revoked before their end (RFC 7009). In memory, so that no call pays for the look. */
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

  /** `endsAt` (ms): from then on the token is refused anyway. */
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
    return {
      ok: false,
      code: 'unauthenticated',
      message: 'Authentication failed: this access token was revoked. Ask for a new one.',
    }
  }
}

/** What the agent's group allows now. */
export function scopesOf(store: Store, agentId: string): Result<Scope[]> {
  const agent = store.agent(agentId)
  const group = agent && store.group(agent.group_id)
  if (!group) return { ok: false, code: 'not_found', message: 'Policy group not found.' }
  const scopes = JSON.parse(group.scopes) as string[]
  return { ok: true, value: allScopes.filter((scope) => scopes.includes(scope)) }
}
