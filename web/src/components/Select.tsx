import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'
import { controlClass, Field } from './Field.tsx'

type Choices = {
  /** The label of the empty choice, which comes first. */
  none?: string | undefined
  /** The others. One that `isBlocked` is listed, but can't be chosen. */
  choices: readonly (readonly [value: string, label: string, isBlocked?: boolean])[]
  /** Groups of further ones. */
  groups?: ReactNode
}

export const Select = ({ none, choices, groups, ...props }: ComponentProps<'select'> & Choices) => (
  <select {...props} className={clsx(controlClass, 'pr-8', props.className)}>
    {none !== undefined && <option value="">{none}</option>}
    {choices.map(([value, label, isBlocked]) => (
      <option key={value} value={value} disabled={isBlocked}>
        {label}
      </option>
    ))}
    {groups}
  </select>
)

/** A list of choices outside of forms, which have SelectField. */
export const LabeledSelect = (
  props: Choices & {
    label: string
    hint?: ReactNode
    value: string
    onChange: (value: string) => void
  },
) => {
  const { label, hint, onChange, ...select } = props
  return (
    <Field label={label} hint={hint}>
      {(control) => <Select {...control} {...select} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}
