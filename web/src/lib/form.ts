import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import { ApiError, messageOf } from './api.ts'

/** Without a message the field only gets the focus; without a field the message stands above the form. */
export type Problem<K extends string> = { field?: K; message?: string; code?: string }

/** State of a small form: its values, and one problem at a time. `busy` lasts until a failure: success leads away. */
export function useFields<K extends string>(
  initial: Record<K, string>,
  options: {
    check: (values: Record<K, string>) => Problem<K> | null
    send: (values: Record<K, string>) => Promise<unknown>
    /** What to say when the server gives no reason: it failed, and (second) it answered that it would not. */
    fallback: [failed: string, refused: string]
  },
) {
  const [values, setValues] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem<K> | null>(null)
  const form = useRef<HTMLFormElement>(null)

  function fail(next: Problem<K>) {
    setProblem(next)
    if (next.field) form.current?.querySelector<HTMLInputElement>(`[name=${next.field}]`)?.focus()
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    setProblem(null)
    const found = options.check(values)
    if (found) return fail(found)
    setBusy(true)
    try {
      await options.send(values)
    } catch (error) {
      setBusy(false)
      const message = messageOf(error, ...options.fallback)
      const { field, code } = error instanceof ApiError ? error : {}
      fail({ message, ...(code && { code }), ...(field && field in values && { field: field as K }) })
    }
  }

  return {
    values,
    busy,
    form: { ref: form, noValidate: true, onSubmit },
    /** Of the server's refusal. */
    code: problem?.code,
    general: problem?.field ? undefined : problem?.message,
    errorOf: (field: K) => (problem?.field === field ? problem.message : undefined),
    bind: (name: K) => ({
      name,
      value: values[name],
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setValues({ ...values, [name]: event.target.value })
        setProblem(null)
      },
    }),
  }
}
