import type { Period } from '#domain/periods.ts'
import { type Span, spans } from '#domain/statistics.ts'

export type By = 'agent' | 'group'

/** Chooses 7, 30 or 90 days and, with `by`, how a chart is split. */
export function SpanChoice(props: {
  days: Span
  onDays: (days: Span) => void
  by?: By
  onBy?: (by: By) => void
  /** For widgets: shortens the labels. */
  isSmall?: boolean
}) {
  const { by, onBy, isSmall } = props
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-2">
      <Choice
        legend="Days"
        value={props.days}
        options={spans.map((span) => [span, `${span} days`, isSmall ? `${span}` : undefined] as const)}
        onChange={props.onDays}
      />
      {by && onBy && (
        <Choice
          legend="Split"
          value={by}
          options={[
            ['agent', 'By agent', isSmall ? 'Agent' : undefined],
            ['group', 'By group', isSmall ? 'Group' : undefined],
          ]}
          onChange={onBy}
        />
      )}
    </div>
  )
}

/** Chooses this week or this month. */
export const PeriodChoice = (props: { period: Period; onPeriod: (period: Period) => void }) => (
  <Choice
    legend="Period"
    value={props.period}
    options={[
      ['week', 'This week'],
      ['month', 'This month'],
    ]}
    onChange={props.onPeriod}
  />
)

/** One of a few values, side by side. */
export function Choice<T extends string | number>(props: {
  legend: string
  value: T
  options: readonly (readonly [value: T, label: string, short?: string | undefined])[]
  onChange: (value: T) => void
}) {
  return (
    <fieldset className="inline-flex rounded-control border border-control p-0.5">
      <legend className="sr-only">{props.legend}</legend>
      {props.options.map(([value, label, short]) => (
        <button
          key={value}
          type="button"
          aria-label={label}
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
          className="h-7 whitespace-nowrap rounded-[6px] px-2.5 text-small max-[340px]:px-1.5 hover:bg-sunken aria-pressed:bg-green-tint aria-pressed:font-medium aria-pressed:text-green pointer-coarse:h-10"
        >
          {short ?? label}
        </button>
      ))}
    </fieldset>
  )
}
