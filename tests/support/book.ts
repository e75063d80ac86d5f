/** A Treasury in memory with groups, agents and payments. */
import type { Limits } from '#domain/limits.ts'
import { unwrap } from '../../worker/result.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import type { GroupInput } from '../../worker/treasury/policies/rpcTypes.ts'
import { createAgent } from '../../worker/treasury/reports/changes/agents.ts'
import { createGroup } from '../../worker/treasury/reports/changes/groups.ts'
import { acceptNow } from './acceptNow.ts'
import { agentInput, agentPrincipal, gatheredFor, groupInput, type PayFields, payInput, usdc } from './build.ts'
import { createMemoryTreasury } from './memoryTreasury.ts'

export type Book = ReturnType<typeof createBook>

export function createBook(over: { funds?: string; sessionLimit?: string; limits?: Limits } = {}) {
  const { funds = '100000', sessionLimit = funds, limits } = over
  const memory = createMemoryTreasury(usdc(funds), usdc(sessionLimit), limits)
  const { context } = memory
  let agents = 0
  /** Returns the group's id. */
  const addGroup = (over: Partial<GroupInput> = {}) => unwrap(createGroup(context, groupInput(over))).id
  const addAgent = (policyGroupId: string, id = `agt_${agents++}`) => {
    unwrap(createAgent(context, agentInput({ id, policyGroupId })))
    return agentPrincipal(id)
  }
  /** Pays 1 USDC, by default as the user. */
  const pay = (over: PayFields = {}, gathered: Partial<Gathered> = {}) => {
    const input = payInput(over)
    return acceptNow(context, input, gatheredFor(input, gathered))
  }
  return { ...memory, addGroup, addAgent, pay }
}

/** The payment that was accepted. Throws if it was refused or something is missing. */
export function paid(result: ReturnType<Book['pay']>) {
  if ('need' in result) throw new Error(`needs ${result.need}`)
  return unwrap(result).payment
}
