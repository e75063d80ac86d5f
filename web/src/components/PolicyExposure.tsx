import { useQuery } from '@tanstack/react-query'
import { exposureOf } from '#domain/exposure.ts'
import { type MicroUsdc, zeroUsdc } from '#domain/money.ts'
import { payScopes } from '#domain/scopes.ts'
import { dollars, microOf } from '../lib/amounts.ts'
import { type BudgetLeft, budgetLeftAfterTopUp, budgetLeftOf } from '../lib/budgetLeft.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '../queries/agents.ts'
import { usePrimaryChain } from '../queries/config.ts'
import { walletsQuery } from '../queries/wallets.ts'
import { useUnit } from './Amount.tsx'

/**
 * Shows how a budget change affects what agents can spend from the group's wallet. `left` is what the new budget would
 * leave the group's agents, or the amount of a top-up; undefined while the input is invalid. Renders nothing for wallets
 * outside the primary network.
 */
export function PolicyExposure(props: {
  /** Null for a new group. */
  groupId: string | null
  walletId?: string | undefined
  left: BudgetLeft | { more: MicroUsdc } | undefined
}) {
  const primaryChain = usePrimaryChain()
  const unit = useUnit(primaryChain)
  const groups = useQuery(groupsQuery).data
  const own = groups?.find(({ policyGroup }) => policyGroup.id === props.groupId)
  const walletId = props.walletId || own?.policyGroup.walletId
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === walletId)
  if (!groups || !wallet?.exposure || wallet.chain !== primaryChain) return null
  const canLeave = microOf(wallet.exposure.canLeave)
  const now = microOf(wallet.exposure.agents)
  const others = groups.filter(
    ({ policyGroup }) => policyGroup.walletId === walletId && policyGroup !== own?.policyGroup,
  )
  const left =
    props.left && typeof props.left === 'object'
      ? own && budgetLeftAfterTopUp(own.policyGroup, props.left.more)
      : props.left
  const after =
    left === undefined
      ? null
      : exposureOf({
          balance: microOf(wallet.exposure.canSend),
          held: microOf(wallet.held),
          sendsLeft: null, // canSend takes the session key's limit into account already
          purchasesLeft: zeroUsdc,
          inPayouts: zeroUsdc,
          canRenew: false,
          groups: [
            ...others.map((group) => ({ left: budgetLeftOf(group.policyGroup), active: canSpend(group) })),
            { left, active: own === undefined || canSpend(own) },
          ],
        }).agents
  return (
    <div data-testid="policy-exposure" className="rounded-control bg-sunken px-4 py-3">
      <p>
        Agents can spend from this wallet:{' '}
        <strong className="whitespace-nowrap font-semibold">
          {dollars(now)} {unit}
        </strong>
        {after !== null && after !== now && (
          <span>
            {' '}
            · after this:{' '}
            <strong className="whitespace-nowrap font-semibold">
              {dollars(after)} {unit}
            </strong>
            {own === undefined && <span>, once the group has an agent</span>}
          </span>
        )}
      </p>
      <p className="mt-1 text-muted text-small">
        Most that can leave without you: {dollars(canLeave)} {unit}, before and after. That is what the wallet’s session
        key may still pay; no policy raises it.
      </p>
    </div>
  )
}

const canSpend = ({ policyGroup, agents }: PolicyGroupWithAgents) =>
  policyGroup.status === 'active' &&
  policyGroup.scopes.some((scope) => (payScopes as readonly string[]).includes(scope)) &&
  agents.some((agent) => agent.status === 'active')
