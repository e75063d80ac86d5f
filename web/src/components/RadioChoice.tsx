/** A radio button with a hint below its label. */
export function RadioChoice(props: {
  name: string
  label: string
  hint: string
  checked: boolean
  onChoose: () => void
}) {
  return (
    <label className="flex min-h-8 items-start gap-3 py-1 pointer-coarse:min-h-11">
      <input
        type="radio"
        name={props.name}
        checked={props.checked}
        onChange={props.onChoose}
        className="mt-1 size-4 shrink-0 accent-green"
      />
      <span>
        {props.label}
        <span className="block text-muted text-small">{props.hint}</span>
      </span>
    </label>
  )
}
