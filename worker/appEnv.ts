import type { AccountId, CallerId, PersonId } from '#domain/accounts.ts'
import type { Region } from '#domain/region.ts'
import type { Scope } from '#domain/scopes.ts'
import type { Db } from './db/d1.ts'
import type { Env } from './env.ts'
import type { MessageProvider } from './notifications/message.ts'
import type { OwnerTreasury } from './treasuryOf.ts'

/** Dependencies of the services. Tests pass their own clock. */
export type Deps = {
  env: Env
  db: Db
  messageProvider: MessageProvider
  /** ms */
  now: () => number
  /** The region nearest to the caller; null if unknown. */
  region: Region | null
  /** Lets `work` finish after the response was sent, so that response times reveal nothing about it. Failures are logged. */
  runInBackground: (work: Promise<unknown>) => void
}

/**
 * The agent behind a request. `scopes` are those of its token; the Treasury checks those of its group.
 * `tokenId` is set if the request carried an access token. `via`: where it arrived.
 */
export type AgentPrincipal = {
  userId: string
  agentId: string
  credentialHash: string
  scopes: Scope[]
  tokenId?: string
  via: 'api' | 'mcp'
}

/** A signed-in person and the account that they act for. Every call of `treasury` fails with 401 once the login session has ended. */
export type Person = Pick<
  AppEnv['Variables'],
  'deps' | 'personId' | 'accountId' | 'callerId' | 'treasury' | 'loginSessionId'
>

/**
 * Hono's environment. login() sets what a Person has, agent() sets `agent`, and operator()
 * sets `operator`, the actor under which operator actions are recorded. ownerPassword() sets `passwordChecked`.
 * `bodyLength`: characters of a JSON body; missing without one.
 */
export type AppEnv = {
  Bindings: Env
  Variables: {
    requestId: string
    bodyLength?: number
    deps: Deps
    personId: PersonId
    accountId: AccountId
    callerId: CallerId
    treasury: OwnerTreasury
    loginSessionId: string
    passwordChecked: boolean
    agent: AgentPrincipal
    operator: string
  }
}
