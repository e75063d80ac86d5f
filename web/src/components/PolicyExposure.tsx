import { useQuery } from '@tanstack/react-query'
import { exposureOf } from '../../../worker/domain/exposure.ts'
import { formatUsdc, type MicroUsdc, minusOrZero, parseUsdc, smaller, zeroUsdc } from '../../../worker/domain/money.ts'
import type { Period } from '../../../worker/domain/policyPeriod.ts'
import { visibleScopes } from '../../../worker/domain/scopes.ts'
import { formatAmount } from '../lib/format.ts'
import { plainAmount } from '../lib/problems.ts'
import { groupsQuery, type PolicyGroup, type PolicyGroupWithAgents } from '../queries/agents.ts'
import { walletsQuery } from '../queries/wallets.ts'

const micro = (text: string) => parseUsdc(text) ?? zeroUsdc
const dollars = (amount: MicroUsdc) => `$${formatAmount(formatUsdc(amount))} USDC`

/**
 * What a change of a group's budget does to what agents can spend from its wallet, before and after. `left`: what the
 * group would leave them then, or how much more; null without a limit, undefined while nothing valid is typed. Says nothing of test money.
 */
export function PolicyExposure(props: {
  groupId: string | null
  walletId?: string | undefined
  left: MicroUsdc | null | { more: MicroUsdc } | undefined
}) {
  const groups = useQuery(groupsQuery).data
  const own = groups?.find(({ policyGroup }) => policyGroup.id === props.groupId)
  const walletId = props.walletId || own?.policyGroup.walletId
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === walletId)
  if (!groups || !wallet?.exposure || wallet.chain !== 'base') return null
  const canLeave = micro(wallet.exposure.canLeave)
  const now = micro(wallet.exposure.agents)
  const others = groups.filter(
    ({ policyGroup }) => policyGroup.walletId === walletId && policyGroup !== own?.policyGroup,
  )
  const left = props.left && typeof props.left === 'object' ? toppedUp(own?.policyGroup, props.left.more) : props.left
  const after =
    left === undefined
      ? null
      : exposureOf({
          balance: canLeave,
          held: micro(wallet.held),
          sessionLeft: null, // canLeave is the smaller of both already
          inPayouts: zeroUsdc,
          canRenew: false,
          groups: [
            ...others.map((group) => ({ left: leftOf(group.policyGroup), active: canSpend(group) })),
            { left, active: own === undefined || canSpend(own) },
          ],
        }).agents
  return (
    <div data-testid="policy-exposure" className="rounded-control bg-sunken px-4 py-3">
      <p>
        Agents can spend from this wallet: <strong className="whitespace-nowrap font-semibold">{dollars(now)}</strong>
        {after !== null && after !== now && (
          <>
            {' '}
            · after this: <strong className="whitespace-nowrap font-semibold">{dollars(after)}</strong>
            {own === undefined && ', once the group has an agent'}
          </>
        )}
      </p>
      <p className="mt-1 text-muted text-small">
        Most that can leave without you: {dollars(canLeave)}, before and after. That is what the wallet’s session key
        may still pay; no policy raises it.
      </p>
    </div>
  )
}

function toppedUp(group: PolicyGroup | undefined, more: MicroUsdc): MicroUsdc | null | undefined {
  if (!group) return undefined
  const remaining = group.remaining && formatUsdc(micro(group.remaining) + more)
  return leftOf({ ...group, remaining })
}

function leftOf({ remaining, periodBudget }: PolicyGroup): MicroUsdc | null {
  const total = remaining === null ? null : micro(remaining)
  const inPeriod = periodBudget && micro(periodBudget.remaining)
  return total === null || inPeriod === null ? (total ?? inPeriod) : smaller(total, inPeriod)
}

/** What is typed, as `left`: spent and held stay, and what the same period has used. Undefined while it is no amount. */
export function leftAsTyped(
  group: PolicyGroup | null,
  typed: { budget: string; period: Period; periodLimit: string },
): MicroUsdc | null | undefined {
  const budget = typed.budget.trim()
    ? parseUsdc(plainAmount(typed.budget))
    : group?.spendLimitUsdc === null
      ? 'none'
      : null
  const limit = typed.periodLimit.trim() ? parseUsdc(plainAmount(typed.periodLimit)) : 'none'
  if (budget === null || limit === null) return undefined
  const samePeriod = group?.periodBudget?.period === typed.period ? group.periodBudget : null
  const total =
    budget === 'none' ? null : minusOrZero(budget, group ? micro(group.currentSpent) + micro(group.held) : 0n)
  const inPeriod = limit === 'none' ? null : minusOrZero(limit, samePeriod ? micro(samePeriod.used) : 0n)
  return total === null || inPeriod === null ? (total ?? inPeriod) : smaller(total, inPeriod)
}

const canSpend = ({ policyGroup, agents }: PolicyGroupWithAgents) =>
  policyGroup.status === 'active' &&
  policyGroup.scopes.some((scope) => (visibleScopes as readonly string[]).includes(scope)) &&
  agents.some((agent) => agent.status === 'active')
