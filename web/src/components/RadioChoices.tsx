/** Radio buttons, each with a hint below its label. */
export function RadioChoices<T>(props: {
  name: string
  choices: readonly { value: T; label: string; hint: string }[]
  value: T
  onChange: (value: T) => void
}) {
  return props.choices.map(({ value, label, hint }) => (
    <label key={label} className="flex min-h-8 items-start gap-3 py-1 pointer-coarse:min-h-11">
      <input
        type="radio"
        name={props.name}
        checked={props.value === value}
        onChange={() => props.onChange(value)}
        className="mt-1 size-4 shrink-0 accent-green"
      />
      <span>
        {label}
        <span className="block text-muted text-small">{hint}</span>
      </span>
    </label>
  ))
}
