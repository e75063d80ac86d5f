import { useQuery } from '@tanstack/react-query'
import { formatUsdc } from '#domain/money.ts'
import { dollars, microOf } from '../lib/amounts.ts'
import { messageOf } from '../lib/apiError.ts'
import { formatAmount } from '../lib/format.ts'
import { useAction } from '../lib/useAction.ts'
import { groupsQuery, type PolicyGroup, topUpBudget } from '../queries/agents.ts'
import { useMay } from '../queries/people.ts'
import { useUnit } from './Amount.tsx'
import { Button } from './Button.tsx'
import { ErrorBox } from './Field.tsx'

/** Names the rule that a top-up lifts. */
const budgetRule = 'group.budget'

/**
 * For a payment of `amount` (decimal USDC) that a group's budget refused: raises the budget by what is missing now, so that
 * it passes when the agent asks again, or when the owner approves it (`approval`). Renders nothing for other rules.
 */
export function LetItPay(props: { rule: string | null; groupId: string | null; amount: string; approval?: boolean }) {
  const mayTopUp = useMay('policies.topUp')
  const isBudget = mayTopUp && props.rule === budgetRule && props.groupId !== null
  const groups = useQuery({ ...groupsQuery, enabled: isBudget }).data
  const group = groups?.find(({ policyGroup }) => policyGroup.id === props.groupId)?.policyGroup
  return isBudget && group ? <TopUp {...props} group={group} /> : null
}

const cent = 10_000n

function TopUp(props: { group: PolicyGroup; amount: string; approval?: boolean }) {
  const { group } = props
  const then = props.approval ? 'Then you can approve it.' : 'It is paid when the agent asks again.'
  const unit = useUnit(group.wallet?.chain)
  const missing = group.remaining === null ? 0n : microOf(props.amount) - microOf(group.remaining)
  // Budgets are set in cents.
  const more = ((missing + cent - 1n) / cent) * cent
  const topUp = useAction((_: undefined, key: string) => topUpBudget(group.id, formatUsdc(more), key), {
    fallback: (error) => messageOf(error, 'Failed to top up budget. Please try again.'),
    // More may be missing by the time of the next refusal.
    onDone: () => topUp.renewKey(),
  })
  if (missing <= 0n)
    return (
      <p role="status" className="text-small">
        {`The budget of ${group.name} has room for it now${group.spendLimitUsdc ? ` (limit: $${formatAmount(group.spendLimitUsdc)} ${unit})` : ''}. ${then}`}
      </p>
    )
  return (
    <div className="mt-2 space-y-2">
      {topUp.problem && <ErrorBox>{topUp.problem}</ErrorBox>}
      <Button look="secondary" busy={topUp.busy} onClick={() => topUp.start(undefined)}>
        {`Top up ${dollars(more)}${props.approval ? '' : ' and let it pay'}`}
      </Button>
      <p className="text-muted text-small">
        Raises the limit of {group.name}. {then}
      </p>
    </div>
  )
}
