import { RpcTarget } from 'cloudflare:workers'
import type { MicroUsdc } from '#domain/money.ts'
import type { Scope } from '#domain/scopes.ts'
import { isoOf } from '#domain/time.ts'
import type { AccountState } from '#schemas/policy.ts'
import { andThen, notFound, ok, type Result } from '../../../result.ts'
import { refuseRole } from '../../core/callers.ts'
import type { Context } from '../../core/context.ts'
import type { Principal } from '../../core/rpcTypes.ts'
import { takeOwnerChange } from '../../limits/ownerActions.ts'
import { type KnownDecider, noteDecider } from '../../limits/secondPerson.ts'
import { handedOut } from '../../payments/purchases/openSignatures.ts'
import type { AgentGate } from '../../policies/agentGate.ts'
import type {
  AgentInput,
  ContactMethods,
  GroupEdit,
  GroupInput,
  NewCredential,
  PauseSubject,
} from '../../policies/rpcTypes.ts'
import { agentView, groupView, listAgents, listGroups, refusalsOf } from '../../policies/views.ts'
import { groupsWithContact, whitelistedIds } from '../../policies/whitelist.ts'
import { createAgent, deleteAgent, editAgent, replaceCredential, scopesOf } from './agents.ts'
import { confirmContact, contactChanged } from './contacts.ts'
import { confirmRules, createGroup, deleteGroup, editGroup, groupRules, topUp } from './groups.ts'
import { setPaused } from './pausing.ts'

/** Groups, agents, credentials and pauses. */
export class Policies extends RpcTarget {
  readonly #ctx: Context
  readonly #gate: AgentGate

  constructor(ctx: Context, gate: AgentGate) {
    super()
    this.#ctx = ctx
    this.#gate = gate
  }

  async groups() {
    return listGroups(this.#ctx)
  }
  async group(id: string) {
    const group = this.#ctx.store.group(id)
    return group ? ok(groupView(this.#ctx, group)) : notFound('Policy group')
  }
  /** The ids of all contacts on the group's whitelist. */
  async whitelist(id: string): Promise<Result<{ contactIds: string[] }>> {
    const { store } = this.#ctx
    return store.group(id) ? ok({ contactIds: whitelistedIds(store, id) }) : notFound('Policy group')
  }
  async groupsWithContact(contactId: string) {
    return groupsWithContact(this.#ctx.store, contactId)
  }
  async rules(id: string) {
    return groupRules(this.#ctx, id)
  }
  async createGroup(input: GroupInput) {
    return takeOwnerChange(this.#ctx) ?? createGroup(this.#ctx, input)
  }
  async editGroup(id: string, edit: GroupEdit) {
    return takeOwnerChange(this.#ctx) ?? editGroup(this.#ctx, id, edit)
  }
  async topUp(id: string, amount: MicroUsdc, key: string | null, passwordChecked = false) {
    return takeOwnerChange(this.#ctx) ?? topUp(this.#ctx, id, amount, key, passwordChecked)
  }
  /** `version`: of the rules that the person was shown. */
  async confirmRules(id: string, version: number, by: KnownDecider) {
    noteDecider(this.#ctx, by)
    return confirmRules(this.#ctx, id, version)
  }
  async deleteGroup(id: string) {
    return deleteGroup(this.#ctx, id)
  }
  async confirmContact(groupId: string, contactId: string, seen: ContactMethods, passwordChecked = false) {
    const confirmed = takeOwnerChange(this.#ctx) ?? confirmContact(this.#ctx, groupId, contactId, seen, passwordChecked)
    return andThen(confirmed, () => this.group(groupId))
  }
  /** Called before a contact changes, or with null before it is deleted. */
  async contactChanged(contactId: string, now: (ContactMethods & { name?: string }) | null) {
    contactChanged(this.#ctx, contactId, now)
  }

  async agents() {
    return listAgents(this.#ctx)
  }
  async agent(id: string) {
    const agent = this.#ctx.store.agent(id)
    return agent ? ok(agentView(this.#ctx, agent)) : notFound('Agent')
  }
  async createAgent(input: AgentInput) {
    return takeOwnerChange(this.#ctx) ?? createAgent(this.#ctx, input)
  }
  async editAgent(id: string, edit: { name: string; memo: string | null }) {
    return takeOwnerChange(this.#ctx) ?? editAgent(this.#ctx, id, edit)
  }
  async deleteAgent(id: string) {
    return deleteAgent(this.#ctx, id)
  }
  async replaceCredential(id: string, input: NewCredential) {
    return takeOwnerChange(this.#ctx) ?? replaceCredential(this.#ctx, id, input)
  }
  /** The agent's recorded refusals, newest first. */
  async refusals(agentId: string) {
    return refusalsOf(this.#ctx, agentId)
  }
  async pause(subject: PauseSubject, paused: boolean, passwordChecked = false) {
    const refused = paused ? null : refuseRole(this.#ctx, 'policies.resume')
    return refused ?? setPaused(this.#ctx, subject, paused, passwordChecked)
  }
  async handedOut() {
    return handedOut(this.#ctx)
  }
  async account(): Promise<AccountState> {
    const { store } = this.#ctx
    const last = store.meta('restored')
    const restored = last && last.asOf !== null ? { at: isoOf(last.at), asOf: isoOf(last.asOf) } : null
    return { paused: store.accountPaused, suspended: store.isSuspended, restored }
  }

  /** POST /oauth/token: what the group allows now. */
  async agentScopes(principal: Principal) {
    const refused = this.#gate.refusal(principal)
    if (refused || principal.type !== 'agent') return refused ?? notFound('Agent')
    return scopesOf(this.#ctx.store, principal.agentId)
  }
  /** POST /oauth/introspect: like `agentScopes` for `token`, or null, if the credential of `client` is valid. */
  async tokenScopes(client: Principal, token: Principal | null): Promise<Result<Scope[] | null>> {
    const refused = this.#gate.callerRefusal(client)
    if (refused) return refused
    const scopes = token && (await this.agentScopes(token))
    return ok(scopes?.ok ? scopes.value : null)
  }
  /**
   * POST /oauth/revoke: the token is refused from now on; null if it is not one of the client's. `endsAt` (ms) is when it
   * would have expired.
   */
  async revokeToken(client: Principal, token: { id: string; endsAt: number } | null): Promise<Result<null>> {
    const refused = this.#gate.callerRefusal(client)
    if (refused) return refused
    if (token) this.#gate.revokeToken(token.id, token.endsAt)
    return ok(null)
  }
}
