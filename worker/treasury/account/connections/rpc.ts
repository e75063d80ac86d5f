import { RpcTarget } from 'cloudflare:workers'
import { person } from '#domain/actor.ts'
import { isoOf } from '#domain/time.ts'
import type { Connection } from '#schemas/connection.ts'
import { notFound, ok, type Result } from '../../../result.ts'
import { actingAs } from '../../core/acting.ts'
import type { Context } from '../../core/context.ts'
import type { ConnectionRow } from '../../core/storage/connectionTables.ts'
import { takeOwnerChange } from '../../limits/ownerActions.ts'
import { appOf, endConnections } from '../../policies/connections.ts'
import { allow } from './allow.ts'
import type { AllowInput, CodeProof, ExchangeInput, ExistingAgent, RefreshInput, RefreshProof } from './rpcTypes.ts'
import { endByApp, exchange, mayExchange, mayRefresh, refresh } from './tokens.ts'

/** An account has few; more than these are not listed. */
const maxListed = 200

/** Apps that the owner connected by URL: consent, tokens, the list, revoking. */
export class Connections extends RpcTarget {
  readonly #ctx: Context

  constructor(ctx: Context) {
    super()
    this.#ctx = ctx
  }

  async list(): Promise<Connection[]> {
    const { store } = this.#ctx
    const rows = store.all<ConnectionRow>(
      "SELECT * FROM connection WHERE status = 'active' ORDER BY created_at DESC, id LIMIT ?",
      maxListed,
    )
    return rows.map((row) => this.#view(row))
  }
  #view({ id, app, agent_id, created_at, used_at }: ConnectionRow): Connection {
    const { store } = this.#ctx
    const agent = store.agent(agent_id!)!
    const group = store.group(agent.group_id)!
    return {
      id,
      ...appOf(app),
      agent: {
        id: agent.id,
        name: agent.name,
        status: agent.paused === 1 ? 'paused' : 'active',
        policyGroup: { id: group.id, name: group.name },
      },
      createdAt: isoOf(created_at),
      lastUsedAt: used_at === null ? null : isoOf(used_at),
    }
  }
  /**
   * The agent that this client with this redirect was last connected to, if it still exists. Some programs register anew each
   * time: `name`, of a registered client, also finds a client of that name with that redirect whose connection has ended.
   */
  async existing(clientId: string, redirectKey: string, name: string | null): Promise<ExistingAgent | null> {
    return this.#ctx.store.first<ExistingAgent>(
      `SELECT agent.id AS agentId, agent.name AS agentName, agent.group_id AS policyGroupId
       FROM connection JOIN agent ON agent.id = connection.agent_id AND agent.deleted_at IS NULL
       WHERE connection.redirect_key = ?1 AND (connection.client_id = ?2 OR (
         connection.status = 'ended' AND json_extract(connection.app, '$.app.kind') = 'registered'
         AND json_extract(connection.app, '$.app.name') = ?3))
       ORDER BY connection.client_id = ?2 DESC, connection.created_at DESC LIMIT 1`,
      redirectKey,
      clientId,
      name,
    )
  }
  async allow(input: AllowInput) {
    return takeOwnerChange(this.#ctx) ?? allow(this.#ctx, input)
  }
  /** Ending twice changes nothing. */
  async revoke(id: string): Promise<Result<null>> {
    const { store } = this.#ctx
    return store.transaction((): Result<null> => {
      const connection = store.connection(id)
      if (!connection) return notFound('Connection')
      endConnections(this.#ctx, { column: 'id', id }, 'owner')
      return ok(null)
    })
  }

  /** Before anything is fetched for POST /oauth/token. Refused as `exchange` and `refresh` are. */
  async mayExchange(proof: CodeProof) {
    return mayExchange(this.#ctx, proof)
  }
  async mayRefresh(proof: RefreshProof) {
    return mayRefresh(this.#ctx, proof)
  }
  /**
   * POST /oauth/token. Refused with `gone`, `invalid_input` for another resource, or `unauthenticated` if the app's assertion is
   * missing or was used before.
   */
  async exchange(input: ExchangeInput) {
    // The person allowed it in the dashboard; the app only collects it.
    return actingAs(person(this.#ctx.userId), () => exchange(this.#ctx, input))
  }
  async refresh(input: RefreshInput) {
    return refresh(this.#ctx, input)
  }
  /** POST /oauth/revoke */
  async endByApp(connectionId: string, clientId: string) {
    endByApp(this.#ctx, connectionId, clientId)
  }
}
