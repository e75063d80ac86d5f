import { useEffect, useState } from 'react'
import { Controller, type UseFormReturn, useForm } from 'react-hook-form'
import { formatUsdc } from '#domain/money.ts'
import { maxHours, maxLimit, minLimit } from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import { AmountField, formResolver, TextField } from '#web/components/forms.tsx'
import { dollars } from '#web/lib/amounts.ts'
import { formatMoment, plural } from '#web/lib/format.ts'
import { AllowanceField } from './AllowanceField.tsx'
import { type GrantValues, grantProblems, typedHours } from './grant.ts'

/** Shown if the server gives no reason. */
export const rotationFailed = 'Failed to rotate session key. Please try again or contact support.'

type GrantForm = UseFormReturn<GrantValues>

/** `initial` is read once. Problems are shown when a field loses focus. */
export function useGrantForm(initial: () => GrantValues): GrantForm {
  const [defaultValues] = useState(initial)
  return useForm<GrantValues>({ resolver: formResolver(grantProblems), mode: 'onTouched', defaultValues })
}

const limits = ['100', '500', '1000', '5000', formatUsdc(maxLimit)]
const durations = [1, 7, 30, maxHours / 24].map((days) => ({ value: String(days * 24), label: plural(days, 'day') }))

/** The fields of a session key's limit, its part for purchases, and its duration. */
export function GrantFields(props: { form: GrantForm; disabled: boolean }) {
  const { form, disabled } = props
  const { errors } = form.formState
  const values = form.watch()
  const hours = typedHours(values.hours)
  const until = errors.hours || hours < 1 || hours > maxHours ? null : Date.now() + hours * hourMs
  const choose = (field: 'limit' | 'hours') => (value: string) => form.setValue(field, value, { shouldValidate: true })
  const { trigger } = form
  const hasWrongAllowance = errors.allowance !== undefined
  // Whether the allowance is too high depends on the limit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the limit is what it runs for
  useEffect(() => {
    if (hasWrongAllowance) void trigger('allowance')
  }, [values.limit])
  return (
    <>
      <div>
        <AmountField
          form={form}
          name="limit"
          label="Spending limit"
          aside={`${dollars(minLimit)} to ${dollars(maxLimit)}`}
          disabled={disabled}
        />
        <Presets
          name="Spending limit presets"
          chosen={values.limit}
          options={limits.map((value) => ({ value, label: `$${value.replace(/\B(?=(\d{3})+$)/g, ',')}` }))}
          disabled={disabled}
          onChoose={choose('limit')}
        />
      </div>
      <Controller
        control={form.control}
        name="allowance"
        render={({ field, fieldState }) => (
          <AllowanceField {...field} error={fieldState.error?.message} disabled={disabled} />
        )}
      />
      <div>
        <TextField
          form={form}
          name="hours"
          label="Duration in hours"
          aside={hours >= 24 ? plural(Math.floor(hours / 24), 'day') : undefined}
          hint={until !== null && `Until ${formatMoment(until)}`}
          inputMode="numeric"
          autoComplete="off"
          disabled={disabled}
        />
        <Presets
          name="Duration presets"
          chosen={values.hours}
          options={durations}
          disabled={disabled}
          onChoose={choose('hours')}
        />
      </div>
    </>
  )
}

function Presets(props: {
  name: string
  chosen: string
  options: { value: string; label: string }[]
  disabled: boolean
  onChoose: (value: string) => void
}) {
  return (
    <fieldset disabled={props.disabled} className="mt-2 flex flex-wrap gap-2">
      <legend className="sr-only">{props.name}</legend>
      {props.options.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={props.chosen === value}
          onClick={() => props.onChoose(value)}
          className="min-h-8 rounded-control border border-control px-3 text-small hover:bg-sunken aria-pressed:border-green aria-pressed:bg-green-tint aria-pressed:text-green pointer-coarse:min-h-11"
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
