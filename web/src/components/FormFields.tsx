import type { ComponentProps, ReactNode } from 'react'
import {
  Controller,
  type FieldError,
  type FieldValues,
  get,
  type Path,
  type RegisterOptions,
  type UseFormReturn,
} from 'react-hook-form'
import { AmountInput } from './AmountInput.tsx'
import { Field, Input } from './Field.tsx'
import { PasswordInput } from './PasswordInput.tsx'

/** One field of a form: its label, its input with the given attributes, and its error and hint. */
type FieldProps<T extends FieldValues, Attributes> = Omit<Attributes, 'form' | 'name' | 'value' | 'onChange'> & {
  form: Pick<UseFormReturn<T>, 'register' | 'formState'>
  name: Path<T>
  label: ReactNode
  hint?: ReactNode
  aside?: ReactNode
  options?: RegisterOptions<T, Path<T>>
}

const problemOf = <T extends FieldValues>({ formState }: Pick<UseFormReturn<T>, 'formState'>, name: Path<T>) =>
  (get(formState.errors, name) as FieldError | undefined)?.message

export function TextField<T extends FieldValues>(props: FieldProps<T, ComponentProps<'input'>>) {
  const { form, name, label, hint, aside, options, ...attributes } = props
  return (
    <Field label={label} error={problemOf(form, name)} hint={hint} aside={aside}>
      {(control) => <Input {...control} {...form.register(name, options)} {...attributes} />}
    </Field>
  )
}

export function PasswordField<T extends FieldValues>(props: FieldProps<T, ComponentProps<typeof PasswordInput>>) {
  const { form, name, label, hint, aside, options, ...attributes } = props
  return (
    <Field label={label} error={problemOf(form, name)} hint={hint} aside={aside}>
      {(control) => <PasswordInput {...control} {...form.register(name, options)} {...attributes} />}
    </Field>
  )
}

export function AmountField<T extends FieldValues>(
  props: Omit<FieldProps<T, ComponentProps<typeof AmountInput>>, 'form' | 'options'> & {
    form: Pick<UseFormReturn<T>, 'control'>
  },
) {
  const { form, name, label, hint, aside, ...attributes } = props
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field, fieldState }) => (
        <Field label={label} error={fieldState.error?.message} hint={hint} aside={aside}>
          {(control) => <AmountInput {...control} {...field} {...attributes} />}
        </Field>
      )}
    />
  )
}
