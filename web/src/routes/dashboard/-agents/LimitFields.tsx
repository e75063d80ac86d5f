import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { periods } from '#domain/policyPeriod.ts'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Field, Input, Select } from '#web/components/Field.tsx'
import { useSms } from '#web/queries/config.ts'
import { type GroupValues, limitFields } from './groupForm.ts'

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
