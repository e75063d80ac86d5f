import { useState } from 'react'
import { parseUsdc } from '../../../../../../worker/domain/money.ts'
import {
  defaultHours,
  defaultLimit,
  durationProblem,
  limitProblem,
} from '../../../../../../worker/domain/sessionKey.ts'
import { AmountInput } from '../../../../components/AmountInput.tsx'
import { Field, Input } from '../../../../components/Field.tsx'
import { formatMoment, plural } from '../../../../lib/format.ts'
import type { Grant } from '../../../../queries/sessionKeys.ts'

const limits = ['100', '500', '1000', '5000', '10000']
const durations = [
  { hours: '24', label: '1 day' },
  { hours: '168', label: '7 days' },
  { hours: '720', label: '30 days' },
  { hours: '2160', label: '90 days' },
]

/** A session's limit and time as typed, and what is wrong with them. */
export function useGrant() {
  const [limit, setLimit] = useState(defaultLimit)
  const [hours, setHours] = useState(defaultHours)
  const [shown, setShown] = useState({ limit: false, hours: false })
  const amount = parseUsdc(limit.trim())
  const wholeHours = /^\d{1,6}$/.test(hours.trim()) ? Number(hours) : 0
  const problems = { limit: limitProblem(amount), hours: durationProblem(wholeHours) }
  return {
    limit: problems.limit === null ? amount : null,
    /** Shows what is wrong; null then. */
    check(): Grant | null {
      setShown({ limit: true, hours: true })
      if (problems.limit !== null || problems.hours !== null) return null
      return { spendingLimit: String(amount), ttlHours: wholeHours }
    },
    props: {
      limit,
      hours,
      wholeHours,
      errors: {
        limit: shown.limit ? (problems.limit ?? undefined) : undefined,
        hours: shown.hours ? (problems.hours ?? undefined) : undefined,
      },
      onLimit: setLimit,
      onHours: setHours,
      onLeave: (field: 'limit' | 'hours') => setShown((now) => ({ ...now, [field]: true })),
    },
  }
}

export function GrantFields(props: ReturnType<typeof useGrant>['props'] & { disabled?: boolean }) {
  const { wholeHours, errors } = props
  const until = errors.hours || wholeHours < 1 || wholeHours > 2160 ? null : Date.now() + wholeHours * 3_600_000
  return (
    <>
      <div>
        <Field label="Spending limit" aside="$1 to $10,000" error={errors.limit}>
          {(control) => (
            <AmountInput
              {...control}
              name="spendingLimit"
              disabled={props.disabled}
              value={props.limit}
              onChange={props.onLimit}
              onBlur={() => props.onLeave('limit')}
            />
          )}
        </Field>
        <Presets
          name="Spending limit presets"
          chosen={props.limit}
          options={limits.map((value) => ({ value, label: `$${value.replace(/\B(?=(\d{3})+$)/g, ',')}` }))}
          disabled={props.disabled}
          onChoose={props.onLimit}
        />
      </div>
      <div>
        <Field
          label="Duration in hours"
          aside={wholeHours >= 24 ? `${plural(Math.floor(wholeHours / 24), 'day')}` : undefined}
          error={errors.hours}
          hint={until !== null && `Until ${formatMoment(until)}`}
        >
          {(control) => (
            <Input
              {...control}
              name="ttlHours"
              inputMode="numeric"
              autoComplete="off"
              disabled={props.disabled}
              value={props.hours}
              onChange={(event) => props.onHours(event.target.value)}
              onBlur={() => props.onLeave('hours')}
            />
          )}
        </Field>
        <Presets
          name="Duration presets"
          chosen={props.hours}
          options={durations.map(({ hours, label }) => ({ value: hours, label }))}
          disabled={props.disabled}
          onChoose={props.onHours}
        />
      </div>
    </>
  )
}

function Presets(props: {
  name: string
  chosen: string
  options: { value: string; label: string }[]
  disabled?: boolean | undefined
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
