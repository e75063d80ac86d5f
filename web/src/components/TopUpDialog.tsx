import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { formatUsdc, type MicroUsdc, parseUsdc } from '#domain/money.ts'
import { dollars, typedDecimal, typedMicro, typedProblem } from '../lib/amounts.ts'
import { ApiError, messageOf } from '../lib/apiError.ts'
import { formatAmount } from '../lib/format.ts'
import { groupsQuery, type PolicyGroup, topUpBudget } from '../queries/agents.ts'
import { MoneyChain, useUnit } from './Amount.tsx'
import { Dialog } from './Dialog.tsx'
import { AmountField, FormDialog, formResolver } from './forms.tsx'
import { PolicyExposure } from './PolicyExposure.tsx'

const successMs = 2_000 // 2 seconds

type Values = { amount: string }

const decimals = 2
const resolver = formResolver<Values>(({ amount }) => ({
  amount: typedProblem(amount, 'Please enter a valid amount greater than 0', { decimals }),
}))

/** Raises a group's budget limit; amounts have two decimals. Closes automatically after success. */
export default function TopUpDialog(props: {
  group: Pick<PolicyGroup, 'id' | 'name' | 'spendLimitUsdc' | 'remaining'>
  onClose: () => void
}) {
  const { group, onClose } = props
  const chain = useQuery(groupsQuery).data?.find(({ policyGroup }) => policyGroup.id === group.id)?.policyGroup.wallet
    ?.chain
  const unit = useUnit(chain)
  const [limit, setLimit] = useState<string | null>(null)
  const form = useForm<Values>({ resolver, defaultValues: { amount: '' } })
  const amount = typedMicro(form.watch('amount'), decimals)

  const done = useEffectEvent(onClose)
  useEffect(() => {
    if (limit === null) return
    const timer = setTimeout(() => done(), successMs)
    return () => clearTimeout(timer)
  }, [limit])

  if (limit !== null)
    return (
      <Dialog title="Budget topped up" onClose={onClose}>
        <p role="status" className="flex items-center gap-3 pb-2">
          <CircleCheck aria-hidden="true" className="size-6 shrink-0 text-green" />
          The limit of {group.name} is now ${formatAmount(limit)} {unit}.
        </p>
      </Dialog>
    )
  return (
    <FormDialog
      title="Top Up Budget"
      subject={group.id}
      description={`Adds to the budget limit of ${group.name}. No money moves.`}
      form={form}
      onClose={onClose}
      submit={[amount ? `Top Up ${formatAmount(formatUsdc(amount))} ${unit}` : 'Top Up', 'Topping up...']}
      send={async (values, idempotencyKey) => {
        const { budget } = await topUpBudget(group.id, typedDecimal(values.amount), idempotencyKey)
        setLimit(budget.limit)
      }}
      fallback={failure}
    >
      <MoneyChain value={chain}>
        <AmountField
          form={form}
          name="amount"
          label="Amount"
          hint={limitAfter(group.spendLimitUsdc, amount)}
          decimals={decimals}
        />
      </MoneyChain>
      <PolicyExposure groupId={group.id} left={amount ? { more: amount } : undefined} />
    </FormDialog>
  )
}

function limitAfter(limit: string | null, amount: MicroUsdc | null): string | undefined {
  const now = limit === null ? null : parseUsdc(limit)
  if (now === null) return undefined
  const text = `The limit is ${dollars(now)} now`
  return amount ? `${text}, and ${dollars(now + amount)} afterwards.` : `${text}.`
}

/** Problems with a budget or a limit come with a hint to contact support. */
function failure(error: unknown): string {
  const message = messageOf(error, 'Failed to top up budget. Please try again.')
  const isAboutLimits = error instanceof ApiError && /budget|limit/i.test(error.message)
  return isAboutLimits ? `${message} Please contact support if you need more.` : message
}
