import type { ReactNode } from 'react'

/** Chooses one of several parts of a list or page. `legend` is for screen readers. */
export const Pills = <T extends string | boolean>(props: {
  legend: string
  value: T
  options: readonly (readonly [value: T, label: ReactNode])[]
  onChange: (value: T) => void
  className?: string
}) => (
  <fieldset className={`flex flex-wrap gap-2 ${props.className ?? ''}`}>
    <legend className="sr-only">{props.legend}</legend>
    {props.options.map(([value, label]) => (
      <button
        key={String(value)}
        type="button"
        aria-pressed={props.value === value}
        onClick={() => props.onChange(value)}
        className="h-8 rounded-full border border-control px-3 text-small hover:bg-sunken aria-pressed:border-green aria-pressed:bg-green-tint aria-pressed:text-green pointer-coarse:h-11"
      >
        {label}
      </button>
    ))}
  </fieldset>
)
