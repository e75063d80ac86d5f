import { type UseFormReturn, useForm } from 'react-hook-form'
import { formatUsdc } from '#domain/money.ts'
import {
  allowanceInMicro,
  defaultHours,
  defaultLimit,
  durationProblem,
  limitProblem,
  maxHours,
  maxLimit,
  minLimit,
} from '#domain/sessionKey.ts'
import { hourMs } from '#domain/time.ts'
import { AmountField, formResolver, TextField } from '#web/components/forms.tsx'
import { dollars, typedMicro } from '#web/lib/amounts.ts'
import { formatMoment, plural } from '#web/lib/format.ts'
import type { Grant, SessionKeyInfo } from '#web/queries/wallets.ts'

/** Shown if the server gives no reason. */
export const rotationFailed = 'Failed to rotate session key. Please try again or contact support.'

/** Values as typed: decimal USDC and whole hours. */
export type GrantValues = { limit: string; hours: string }
type GrantForm = UseFormReturn<GrantValues>

/** 0 for an empty field; NaN if the text is not a number. */
const typedHours = (hours: string) => (/^\d{0,6}(?:\.\d*)?$/.test(hours.trim()) ? Number(hours) : Number.NaN)

/** The limit in micro-USDC; null while it is not allowed. */
export function grantedLimit({ limit }: GrantValues) {
  const amount = typedMicro(limit)
  return limitProblem(amount) === null ? amount : null
}

/** Converts valid values to the API's format. */
export const grantOf = (values: GrantValues): Grant => ({
  spendingLimit: String(grantedLimit(values) ?? 0n),
  ttlHours: typedHours(values.hours),
})

const resolver = formResolver<GrantValues>(({ limit, hours }) => ({
  limit: limitProblem(typedMicro(limit)),
  hours: durationProblem(typedHours(hours)),
}))

/** A session key's limit and duration. Problems are shown when a field loses focus. */
export const useGrantForm = (): GrantForm =>
  useForm<GrantValues>({ resolver, mode: 'onTouched', defaultValues: { limit: defaultLimit, hours: defaultHours } })

const limits = ['100', '500', '1000', '5000', formatUsdc(maxLimit)]
const durations = [1, 7, 30, maxHours / 24].map((days) => ({ value: String(days * 24), label: plural(days, 'day') }))

/** The fields of a session key's limit and duration, each with presets. */
export function GrantFields(props: { form: GrantForm; info: SessionKeyInfo; disabled: boolean }) {
  const { form, info, disabled } = props
  const { errors } = form.formState
  const values = form.watch()
  const hours = typedHours(values.hours)
  const until = errors.hours || hours < 1 || hours > maxHours ? null : Date.now() + hours * hourMs
  const choose = (field: 'limit' | 'hours') => (value: string) => form.setValue(field, value, { shouldValidate: true })
  return (
    <>
      <div>
        <AmountField
          form={form}
          name="limit"
          label="Spending limit"
          aside={`${dollars(minLimit)} to ${dollars(maxLimit)}`}
          hint={
            info.purchaseAllowance > 0 &&
            `${dollars(allowanceInMicro(info.purchaseAllowance))} of it stays set aside as the purchase allowance. Payments may use the rest.`
          }
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
