import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import { ApiError, messageOf } from './apiError.ts'
import { useAction } from './useAction.ts'

/** If `field` is set, that field gets the focus and the message; otherwise the message is shown above the form. */
export type FormProblem<Field extends string> = { field?: Field; message?: string; code?: string }

/**
 * State of a form on the account screens (sign-in, signup, codes, passwords): its values, and one problem at a time.
 * `busy` lasts until a failure, since success leaves the screen. Dashboard forms use react-hook-form, which would make
 * these screens too large: docs/decisions/010-dashboard.md.
 */
export function useAccountForm<Field extends string>(
  initial: Record<Field, string>,
  options: {
    /** The first problem with the values, or null to send them. */
    check: (values: Record<Field, string>) => FormProblem<Field> | null
    send: (values: Record<Field, string>) => Promise<unknown>
    /** Messages if the server gives no reason: the call failed, or the reply reports a failure under a success status. */
    fallback: [failed: string, refused: string]
  },
) {
  const [values, setValues] = useState(initial)
  const [problem, setProblem] = useState<FormProblem<Field> | null>(null)
  const form = useRef<HTMLFormElement>(null)

  function fail(next: FormProblem<Field>) {
    setProblem(next)
    if (next.field) form.current?.querySelector<HTMLInputElement>(`[name=${next.field}]`)?.focus()
  }

  const { start, busy } = useAction(options.send, {
    fallback: (error) => messageOf(error, ...options.fallback),
    onFailed(error, message) {
      const { field, code } = error instanceof ApiError ? error : {}
      fail({ message, ...(code && { code }), ...(field && field in values && { field: field as Field }) })
    },
    leaves: true,
  })

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    setProblem(null)
    const found = options.check(values)
    if (found) return fail(found)
    start(values)
  }

  return {
    values,
    busy,
    form: { ref: form, noValidate: true, onSubmit },
    /** The error code of the server's refusal. */
    code: problem?.code,
    /** A problem that is not about a single field. */
    general: problem?.field ? undefined : problem?.message,
    errorOf: (field: Field) => (problem?.field === field ? problem.message : undefined),
    bind: (name: Field) => ({
      name,
      value: values[name],
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setValues({ ...values, [name]: event.target.value })
        setProblem(null)
      },
    }),
  }
}
