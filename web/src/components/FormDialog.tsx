import { type ReactNode, useState } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { ApiError, isOutcomeUnknown } from '../lib/apiError.ts'
import { asSentence } from '../lib/format.ts'
import { useDialogAction } from '../lib/useDialogAction.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { ErrorBox } from './Field.tsx'

/**
 * A dialog with one form. All attempts share one idempotency key until the server refuses one. A refusal is shown under
 * the field that the server names, otherwise above the form.
 */
export function FormDialog<T extends FieldValues>(props: {
  title: string
  description?: ReactNode
  wide?: boolean
  form: UseFormReturn<T>
  onClose: () => void
  /** Label of the button, at rest and while the call runs. */
  submit: [label: string, busy: string]
  disabled?: boolean
  /** Resolves when the call has succeeded. Errors that it throws are shown. */
  send: (values: T, idempotencyKey: string) => Promise<unknown>
  /** The message when the server gives no reason, or a function that builds the message from the error. */
  fallback: string | ((error: unknown) => string)
  /** Maps API fields to form fields where the names differ. */
  fields?: Record<string, Path<T>>
  /** For payments: added to the message when the outcome is unknown. Then only the same values can be sent again. */
  unknown?: string
  children: ReactNode
}) {
  const { form } = props
  const { errors, isSubmitting: busy } = form.formState
  /** Values of an attempt whose outcome is unknown. */
  const [pending, setPending] = useState<T | null>(null)

  const { start, onStopWaiting } = useDialogAction(props.send, {
    fallback: props.fallback,
    onFailed(error, message, values) {
      setPending(props.unknown && isOutcomeUnknown(error) ? values : null)
      // 'emailDomains.0' is the first entry of a list.
      const [named = ''] = (error instanceof ApiError && error.field ? error.field : '').split('.')
      const field = props.fields?.[named] ?? named
      if (field in values) form.setError(field as Path<T>, { message }, { shouldFocus: true })
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
      cancel="Cancel"
      footer={
        <Button type="submit" busy={busy} disabled={props.disabled}>
          {!busy && pending ? 'Try again' : props.submit[busy ? 1 : 0]}
        </Button>
      }
    >
      <fieldset disabled={pending !== null} className="space-y-4">
        {errors.root?.message && (
          <ErrorBox>{pending ? `${asSentence(errors.root.message)} ${props.unknown}` : errors.root.message}</ErrorBox>
        )}
        {props.children}
      </fieldset>
    </Dialog>
  )
}
