import type { Db } from './db/session.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { Scope } from './domain/scopes.ts'
import type { Env } from './env.ts'

/** What services work with; tests give their own clock. */
export type Deps = {
  env: Env
  db: Db
  delivery: Delivery
  /** ms */
  now: () => number
  /** Work that ends after the answer has left, so that the answer's time says nothing about it. Failures are logged. */
  afterwards: (work: Promise<unknown>) => void
}

/**
 * The agent behind a request. `scopes` is what its token carries; the Treasury knows what its group allows. `tokenId` is
 * there when it came with an access token.
 */
export type AgentPrincipal = {
  userId: string
  agentId: string
  credentialHash: string
  scopes: Scope[]
  tokenId?: string
}

/** Hono's type of a request: `userId` and `sessionId` are there behind login(), `agent` behind agent(). */
export type AppEnv = {
  Bindings: Env
  Variables: { requestId: string; deps: Deps; userId: string; sessionId: string; agent: AgentPrincipal }
}
