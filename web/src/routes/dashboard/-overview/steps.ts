import type { LinkProps } from '@tanstack/react-router'
import type { Overview } from '#schemas/overview.ts'
import { microOf } from '#web/lib/amounts.ts'
import { markFirstSteps } from '#web/lib/firstSteps.ts'
import { savePreferences } from '#web/queries/overview.ts'

/** `link` is null while no wallet is active: the step has no dialog yet. */
type Step = { label: string; hint: string; done: boolean; link: Pick<LinkProps, 'to' | 'search'> | null }

const needsWallet = 'You can do this once your wallet is active.'

export function dismissFirstSteps(): void {
  markFirstSteps(false)
  savePreferences({ firstStepsDismissed: true }).catch(() => {
    // They stay dismissed on this page, and may harmlessly reappear later.
  })
}

/** The way to the first payment, in order. */
export function stepsOf(overview: Overview): Step[] {
  const agent = overview.activeAgents[0]
  const wallet = overview.payingWalletId
  const isWaiting = wallet === null && overview.walletCount > 0
  const paid = overview.transactionCount > overview.failed // failed and refused ones do not count
  const funded = paid || microOf(overview.totalBalance) > 0n
  const wallets = '/dashboard/wallets'
  const agents = '/dashboard/agents'
  return [
    {
      label: 'Create a wallet',
      hint: 'You keep the owner key; agents spend within its limit.',
      done: overview.walletCount > 0,
      link: { to: wallets, search: { deploy: true } },
    },
    {
      label: 'Add funds',
      hint: isWaiting ? needsWallet : 'Buy USDC with a card.',
      done: funded,
      link: wallet ? { to: wallets, search: { addFunds: wallet } } : null,
    },
    {
      label: 'Create a policy group',
      hint: 'A budget, and who may be paid.',
      done: overview.groupCount > 0,
      link: { to: agents, search: { newGroup: true } },
    },
    {
      label: 'Create an agent',
      hint: 'It gets credentials and spends under the group’s policy.',
      done: overview.agentCount > 0,
      link: { to: agents, search: overview.groupCount > 0 ? { newAgent: true } : { newGroup: true } },
    },
    {
      label: 'Make your first payment',
      hint: agent
        ? 'Your agent’s quick start shows the call.'
        : isWaiting
          ? needsWallet
          : 'To an address, or to an email as a claimable payout.',
      done: paid,
      link: agent
        ? { to: agents, search: { group: agent.policyGroupId, agent: agent.id } }
        : wallet
          ? { to: wallets, search: { send: wallet } }
          : null,
    },
  ]
}
