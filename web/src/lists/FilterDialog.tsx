import type { ReactNode } from 'react'
import { Button } from '../components/Button.tsx'
import { Dialog } from '../components/Dialog.tsx'

/** The frame of a list's filter: what is edited inside is a draft until it is applied. */
export function FilterDialog(props: {
  title: string
  /** The draft is impossible as it is. */
  invalid: boolean
  onReset: () => void
  onApply: () => void
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={(event) => {
        event.preventDefault()
        if (!props.invalid) props.onApply()
      }}
      footer={
        <>
          <Button look="quiet" className="sm:mr-auto" onClick={props.onReset}>
            Reset All
          </Button>
          <Button look="secondary" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit">Apply Filters</Button>
        </>
      }
    >
      <div className="space-y-4">{props.children}</div>
    </Dialog>
  )
}

/** One choice of several, as boxes to tick. */
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
