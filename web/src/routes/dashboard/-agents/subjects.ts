import type { PauseSubject, PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { walletName } from '#web/queries/wallets.ts'

export const account: PauseSubject = { kind: 'account', id: '', name: 'all agents' }

/** What the search parameter `pause` names: the account, the selected group or its wallet, or an agent by its id. */
export function subjectOf(what: string, group: PolicyGroupWithAgents): PauseSubject | undefined {
  const { policyGroup, agents } = group
  const { wallet } = policyGroup
  switch (what) {
    case 'account':
      return account
    case 'group':
      return { kind: 'group', id: policyGroup.id, name: policyGroup.name }
    case 'wallet':
      return wallet ? { kind: 'wallet', id: policyGroup.walletId, name: walletName(wallet) } : undefined
    default: {
      const agent = agents.find(({ id }) => id === what)
      return agent && { kind: 'agent', id: agent.id, name: agent.name }
    }
  }
}
