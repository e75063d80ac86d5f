import { type ComponentProps, type ReactNode, useState } from 'react'
import {
  Controller,
  type FieldError,
  type FieldErrors,
  type FieldValues,
  get,
  type Path,
  type RegisterOptions,
  type Resolver,
  set,
  type UseFormReturn,
} from 'react-hook-form'
import { ApiError, isOutcomeUnknown } from '../lib/apiError.ts'
import { asSentence } from '../lib/format.ts'
import { useDialogAction } from '../lib/useDialogAction.ts'
import { useDraft } from '../lib/useDraft.ts'
import { AmountInput } from './AmountInput.tsx'
import { Dialog } from './Dialog.tsx'
import { ErrorBox, Field, Input } from './Field.tsx'
import { GatedButton } from './GatedButton.tsx'
import { PasswordInput } from './PasswordInput.tsx'
import { Select } from './Select.tsx'

/**
 * Validates a react-hook-form with a plain function, so that the rules come from #domain and no schema library is loaded.
 * `check` returns a message for each invalid field by its path, in field order: the first one gets the focus.
 */
export function formResolver<Values extends FieldValues>(
  check: (values: Values) => Readonly<Record<string, string | null>>,
): Resolver<Values> {
  return (values) => {
    const errors: Record<string, unknown> = {}
    for (const [field, message] of Object.entries(check(values)))
      if (message) set(errors, field, { type: 'check', message })
    return Object.keys(errors).length > 0
      ? { values: {}, errors: errors as FieldErrors<Values> }
      : { values, errors: {} as Record<string, never> }
  }
}

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

export function SelectField<T extends FieldValues>(props: FieldProps<T, ComponentProps<typeof Select>>) {
  const { form, name, label, hint, aside, options, ...attributes } = props
  return (
    <Field label={label} error={problemOf(form, name)} hint={hint} aside={aside}>
      {(control) => <Select {...control} {...form.register(name, options)} {...attributes} />}
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

/**
 * A dialog with one form. All attempts share one idempotency key until the server refuses one. A refusal is shown under
 * the field that the server names, otherwise above the form.
 */
export function FormDialog<T extends FieldValues>(props: {
  title: string
  /** Id of what the form is about, so that unsaved text never comes back for another one. Null if it adds something new. */
  subject: string | null
  description?: ReactNode
  wide?: boolean
  form: UseFormReturn<T>
  onClose: () => void
  /** Label of the button, at rest and while the call runs. */
  submit: [label: string, busy: string]
  /** See `Button`. */
  missing?: string | null
  /** Resolves when the call has succeeded. Errors that it throws are shown. */
  send: (values: T, idempotencyKey: string) => Promise<unknown>
  /** The message when the server gives no reason, or a function that builds the message from the error. */
  fallback: string | ((error: unknown) => string)
  /** Maps API fields to form fields where the names differ: by the first part of their names, or a function. */
  fields?: Record<string, Path<T>> | ((apiField: string) => Path<T>)
  /** For payments: added to the message when the outcome is unknown. Then only the same values can be sent again. */
  unknown?: string
  /** See `Dialog`. */
  aside?: ReactNode
  summary?: ReactNode
  children: ReactNode
}) {
  const { form } = props
  const { errors, isSubmitting: busy } = form.formState
  useDraft(props.title, props.subject, form)
  /** Values of an attempt whose outcome is unknown. */
  const [pending, setPending] = useState<T | null>(null)

  const { start, onStopWaiting } = useDialogAction(props.send, {
    fallback: props.fallback,
    onFailed(error, message, values) {
      setPending(props.unknown && isOutcomeUnknown(error) ? values : null)
      // 'emailDomains.0' is the first entry of a list.
      const apiField = (error instanceof ApiError && error.field) || ''
      const [named = ''] = apiField.split('.')
      const field =
        typeof props.fields === 'function' ? props.fields(apiField) : ((props.fields?.[named] ?? named) as Path<T>)
      if (field && get(values, field) != null) form.setError(field, { message }, { shouldFocus: true })
      else form.setError('root', { message })
      return true
    },
  })
  const submit = form.handleSubmit((values) => start(pending ?? (values as T)))

  return (
    <Dialog
      title={props.title}
      description={props.description}
      wide={props.wide ?? false}
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      onSubmit={submit}
      aside={props.aside}
      summary={props.summary}
      cancel="Cancel"
      footer={
        <GatedButton type="submit" busy={busy} missing={props.missing}>
          {!busy && pending ? 'Try again' : props.submit[busy ? 1 : 0]}
        </GatedButton>
      }
    >
      <fieldset disabled={pending !== null} className="space-y-4">
        {errors.root?.message && (
          <ErrorBox>{pending ? `${asSentence(errors.root.message)} ${props.unknown}` : errors.root.message}</ErrorBox>
        )}
        <div className="space-y-4">{props.children}</div>
      </fieldset>
    </Dialog>
  )
}
