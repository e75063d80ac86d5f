import { decideActive } from '#domain/policy.ts'
import { unknownCredential } from '../../errors.ts'
import { type Refused, refuse } from '../../result.ts'
import { actingFor } from '../core/acting.ts'
import { figuresView, suspendedAgent } from '../core/commonRefusals.ts'
import type { Context } from '../core/context.ts'
import type { Principal } from '../core/rpcTypes.ts'
import { noteUse } from './connections.ts'

type AgentPrincipal = Extract<Principal, { type: 'agent' }>

/**
 * Decides on every call whether the agent may call at all, so that deleting or pausing an agent and replacing or revoking a
 * credential take effect on its next call, whatever token it still holds.
 */
export class AgentGate {
  readonly #context: Context
  /** When each access token that was revoked would have expired (RFC 7009). In memory, so that the check needs no query. */
  readonly #revokedUntil: Map<string, number>

  constructor(context: Context) {
    this.#context = context
    const rows = context.store.all<{ id: string; ends_at: number }>('SELECT id, ends_at FROM revoked_token')
    this.#revokedUntil = new Map(rows.map(({ id, ends_at }) => [id, ends_at]))
  }

  /** `endsAt` is when the token expires (ms). */
  revokeToken(tokenId: string, endsAt: number): void {
    const { store, now } = this.#context
    const at = now()
    store.transaction(() => {
      store.run('DELETE FROM revoked_token WHERE ends_at < ?', at)
      store.replace('revoked_token', { id: tokenId, ends_at: endsAt })
    })
    for (const [old, until] of this.#revokedUntil) if (until < at) this.#revokedUntil.delete(old)
    this.#revokedUntil.set(tokenId, endsAt)
  }

  /**
   * Null if the caller is authenticated: the API key or client secret is valid, or the token was not revoked. Does not check
   * pauses, nor the credential that a token was issued for.
   */
  callerRefusal(principal: Principal): Refused | null {
    if (principal.type !== 'agent') return null
    if (!principal.tokenId) return validCredential(this.#context, principal) ? null : notValid
    if (!this.#revokedUntil.has(principal.tokenId)) {
      actingFor(principal, () =>
        noteUse(this.#context, principal.credentialHash, () => validCredential(this.#context, principal) !== null),
      )
      return null
    }
    return refuse('unauthenticated', 'Authentication failed: this access token was revoked. Ask for a new one.')
  }

  /** Null if the agent may call, or if the owner calls. */
  refusal(principal: Principal): Refused | null {
    if (principal.type !== 'agent') return null
    return this.callerRefusal(principal) ?? credentialRefusal(this.#context, principal)
  }
}

const notValid: Refused = refuse('unauthenticated', unknownCredential)

/** The credential, with its agent and group; null if it is unknown or has expired, or if the agent was deleted. */
function validCredential({ store, now }: Context, { credentialHash, agentId }: AgentPrincipal) {
  const row = store.cached('any', `credential ${credentialHash} ${agentId}`, () =>
    store.first<{ expires_at: number | null; agent_paused: number; group_paused: number; name: string }>(
      `SELECT credential.expires_at, agent.paused AS agent_paused, policy_group.paused AS group_paused, policy_group.name
       FROM credential JOIN agent ON agent.id = credential.agent_id JOIN policy_group ON policy_group.id = agent.group_id
       WHERE credential.hash = ? AND agent.id = ? AND agent.deleted_at IS NULL AND policy_group.deleted_at IS NULL`,
      credentialHash,
      agentId,
    ),
  )
  return row && (row.expires_at === null || row.expires_at > now()) ? row : null
}

export function credentialRefusal(ctx: Context, principal: AgentPrincipal): Refused | null {
  const row = validCredential(ctx, principal)
  if (!row) return notValid
  const suspended = suspendedAgent(ctx)
  if (suspended) return suspended
  const active = decideActive({
    name: row.name,
    agentPaused: row.agent_paused === 1,
    paused: row.group_paused === 1,
    accountPaused: ctx.store.accountPaused,
  })
  if (active.ok) return null
  const { code, message } = active.refusal
  return { ...refuse(code, message), refusal: figuresView(active.refusal) }
}
