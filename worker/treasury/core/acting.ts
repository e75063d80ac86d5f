import { AsyncLocalStorage } from 'node:async_hooks'
import { type Actor, bursar } from '#domain/actor.ts'
import type { Principal } from './rpcTypes.ts'

/**
 * Who acts in this call, for the audit log: set where a call enters the Treasury, read where a row is written. Work that an
 * alarm runs is Bursar's own, even if a request has started it.
 */
const acting = new AsyncLocalStorage<Actor>()

export const actingAs = <T>(actor: Actor, work: () => T): T => acting.run(actor, work)

export const actorNow = (): Actor => acting.getStore() ?? bursar

/** The same for a call of an agent. A call of the owner has its actor already. */
export const actingFor = <T>(principal: Principal, work: () => T): T =>
  principal.type === 'agent' ? actingAs({ by: principal.agentId, via: principal.via }, work) : work()
