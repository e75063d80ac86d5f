import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { useUnit } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { freeOf } from '#web/lib/budgetLeft.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import type { GroupValues } from './groupForm.ts'
import { effectAsTyped } from './policyEffect.ts'

/** What the policy as typed lets agents spend, always in view below the editor. `onTry` is set if there is an agent. */
export function PolicyEffect(props: {
  form: UseFormReturn<GroupValues>
  group: PolicyGroup | null
  onTry?: (() => void) | undefined
}) {
  const values = props.form.watch()
  const wallet = useQuery(walletsQuery).data?.find(({ id }) => id === values.walletId)
  const effect = effectAsTyped(props.group, values, freeOf(wallet), useUnit(wallet?.chain))
  if (!effect && !props.onTry) return null
  return (
    <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-hairline border-t bg-card px-5 py-3">
      <p role="status" data-testid="policy-effect" className="min-w-48 flex-1 text-small">
        {effect}
      </p>
      {props.onTry && (
        <Button look="quiet" className="px-2!" onClick={props.onTry}>
          Try a payment
        </Button>
      )}
    </div>
  )
}
