import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Checkbox, Field, Input } from '#web/components/Field.tsx'
import { approvalFields, type GroupValues, noGroup } from './groupForm.ts'

/** Fields for which payments need the owner's approval. Collapsed unless one is set or invalid. */
export function ApprovalFields(props: { form: UseFormReturn<GroupValues> }) {
  const { form } = props
  const { errors } = form.formState
  const [open, setOpen] = useState(
    () =>
      form.getValues('approveNewRecipient') || approvalFields.some((name) => form.getValues(name) !== noGroup[name]),
  )
  const invalid = approvalFields.some((name) => errors[name])
  return (
    <details
      open={open || invalid}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/approvals rounded-control border border-hairline"
    >
      <summary className="flex min-h-control list-none items-center gap-2 rounded-control px-3 font-medium text-small -outline-offset-2 hover:bg-sunken">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-muted transition-transform duration-120 group-open/approvals:rotate-90"
        />
        Ask me first
      </summary>
      <div className="space-y-4 px-3 pt-1 pb-4">
        <p className="text-muted text-small">
          Optional. These payments wait until you approve them, and reserve nothing while they wait.
        </p>
        <Controller
          control={form.control}
          name="approveAbove"
          render={({ field }) => (
            <Field label="Payments above" error={errors.approveAbove?.message} hint="0 asks about every payment.">
              {(control) => <AmountInput {...control} {...field} />}
            </Field>
          )}
        />
        <Checkbox
          {...form.register('approveNewRecipient')}
          label="First payments to a recipient"
          hint="Anyone whom your account has not paid before"
        />
        <WholeField
          form={form}
          name="duplicateMinutes"
          label="Repeats within minutes"
          hint="The same amount to the same recipient again. Guards against accidents, not intent. Leave empty to turn it off."
        />
        <WholeField
          form={form}
          name="approvalTtlHours"
          label="Hours to respond"
          hint="After that the payment is not made. The agent may ask again."
        />
      </div>
    </details>
  )
}

function WholeField(props: {
  form: UseFormReturn<GroupValues>
  name: 'duplicateMinutes' | 'approvalTtlHours'
  label: string
  hint: string
}) {
  const { form, name } = props
  return (
    <Field label={props.label} error={form.formState.errors[name]?.message} hint={props.hint}>
      {(control) => <Input {...control} {...form.register(name)} inputMode="numeric" autoComplete="off" />}
    </Field>
  )
}
