import { Controller } from 'react-hook-form'
import { formatUsdc } from '#domain/money.ts'
import { maxHours, maxLimit, minLimit } from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Field, Input } from '#web/components/Field.tsx'
import { wholeDollars } from '#web/lib/amounts.ts'
import { formatMoment, plural } from '#web/lib/format.ts'
import { type GrantForm, typedHours } from './useGrantForm.ts'

const limits = ['100', '500', '1000', '5000', formatUsdc(maxLimit)]
const durations = [1, 7, 30, maxHours / 24].map((days) => ({ value: String(days * 24), label: plural(days, 'day') }))

/** The fields of a session key's limit and duration, each with presets. */
export function GrantFields(props: { form: GrantForm; disabled: boolean }) {
  const { form, disabled } = props
  const { errors } = form.formState
  const values = form.watch()
  const hours = typedHours(values.hours)
  const until = errors.hours || hours < 1 || hours > maxHours ? null : Date.now() + hours * hourMs
  const choose = (field: 'limit' | 'hours') => (value: string) => form.setValue(field, value, { shouldValidate: true })
  return (
    <>
      <div>
        <Controller
          control={form.control}
          name="limit"
          render={({ field }) => (
            <Field
              label="Spending limit"
              aside={`$${wholeDollars(minLimit)} to $${wholeDollars(maxLimit)}`}
              error={errors.limit?.message}
            >
              {(control) => <AmountInput {...control} {...field} disabled={disabled} />}
            </Field>
          )}
        />
        <Presets
          name="Spending limit presets"
          chosen={values.limit}
          options={limits.map((value) => ({ value, label: `$${value.replace(/\B(?=(\d{3})+$)/g, ',')}` }))}
          disabled={disabled}
          onChoose={choose('limit')}
        />
      </div>
      <div>
        <Field
          label="Duration in hours"
          aside={hours >= 24 ? plural(Math.floor(hours / 24), 'day') : undefined}
          error={errors.hours?.message}
          hint={until !== null && `Until ${formatMoment(until)}`}
        >
          {(control) => (
            <Input
              {...control}
              {...form.register('hours')}
              inputMode="numeric"
              autoComplete="off"
              disabled={disabled}
            />
          )}
        </Field>
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
