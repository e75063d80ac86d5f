import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { periods } from '#domain/policyPeriod.ts'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Checkbox, Field, Input, Select } from '#web/components/Field.tsx'
import { useSms } from '#web/queries/config.ts'
import { approvalFields, type GroupValues, limitFields, noGroup } from './groupForm.ts'

/** Limits that most groups do not need. Collapsed unless one is set or invalid. */
export function LimitFields(props: { form: UseFormReturn<GroupValues> }) {
  const { form } = props
  const { errors } = form.formState
  const sms = useSms()
  const [open, setOpen] = useState(() => limitFields.some((name) => form.getValues(name) !== ''))
  const invalid = limitFields.some((name) => errors[name])
  return (
    <details
      open={open || invalid}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/limits rounded-control border border-hairline"
    >
      <summary className="flex min-h-control list-none items-center gap-2 rounded-control px-3 font-medium text-small -outline-offset-2 hover:bg-sunken">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-muted transition-transform duration-120 group-open/limits:rotate-90"
        />
        Advanced limits
      </summary>
      <div className="space-y-4 px-3 pt-1 pb-4">
        <p className="text-muted text-small">Optional. They apply in addition to the budget.</p>
        <AmountField form={form} name="maxPayment" label="Maximum per payment" />
        <div className="grid grid-cols-[1fr_8rem] gap-3">
          <AmountField
            form={form}
            name="periodLimit"
            label="Budget per period"
            hint="Resets at midnight UTC: weeks on Monday, months on the 1st."
          />
          <Field label="Period">
            {(control) => (
              <Select {...control} {...form.register('period')}>
                {periods.map((period) => (
                  <option key={period} value={period}>
                    {{ day: 'Day', week: 'Week', month: 'Month' }[period]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        <AmountField
          form={form}
          name="maxUnclaimed"
          label="Unclaimed payouts in total"
          hint="The most that unclaimed payouts may add up to."
        />
        <Field
          label="Allowed email domains"
          error={errors.emailDomains?.message}
          hint="Applies to payouts by email, including those to contacts."
        >
          {(control) => (
            <Input
              {...control}
              {...form.register('emailDomains')}
              placeholder="example.com, example.org"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        {sms && (
          <Field
            label="Allowed phone country codes"
            error={errors.phoneCodes?.message}
            hint="Applies to payouts by SMS, including those to contacts."
          >
            {(control) => (
              <Input {...control} {...form.register('phoneCodes')} placeholder="+1, +49" autoComplete="off" />
            )}
          </Field>
        )}
      </div>
    </details>
  )
}

function AmountField(props: {
  form: UseFormReturn<GroupValues>
  name: 'maxPayment' | 'periodLimit' | 'maxUnclaimed'
  label: string
  hint?: string
}) {
  const { form, name, label, hint } = props
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field, fieldState }) => (
        <Field label={label} error={fieldState.error?.message} hint={hint}>
          {(control) => <AmountInput {...control} {...field} />}
        </Field>
      )}
    />
  )
}

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
