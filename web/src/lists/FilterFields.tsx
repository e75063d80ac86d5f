import { Field, Input } from '../components/Field.tsx'

/** An input for text to search for. */
export function TextField(props: {
  label: string
  hint?: string
  value: string | undefined
  maxLength: number
  onChange: (text: string) => void
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(control) => (
        <Input
          {...control}
          value={props.value ?? ''}
          maxLength={props.maxLength}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** Checkboxes to choose any of a few values. */
export function Choices<T extends string>(props: {
  legend: string
  options: readonly (readonly [value: T, label: string])[]
  value: readonly T[]
  onChange: (value: T[]) => void
}) {
  const { options, value } = props
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-small">{props.legend}</legend>
      <div className="flex flex-wrap gap-x-5">
        {options.map(([option, label]) => (
          <label key={option} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-green"
              checked={value.includes(option)}
              onChange={(event) =>
                props.onChange(
                  options
                    .map(([one]) => one)
                    .filter((one) => (one === option ? event.target.checked : value.includes(one))),
                )
              }
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
