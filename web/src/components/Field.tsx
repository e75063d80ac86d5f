import { clsx } from 'clsx'
import { type ComponentProps, type ReactNode, useId } from 'react'

type Control = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

/** A label, its control, and below them the error and a hint. */
export function Field(props: {
  label: ReactNode
  error?: string | undefined
  hint?: ReactNode
  /** At the right of the label. */
  aside?: ReactNode
  children: (control: Control) => ReactNode
}) {
  const id = useId()
  const described = [props.error && `${id}-error`, props.hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div>
      <div className="mb-1 flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-small font-medium">
          {props.label}
        </label>
        {props.aside && <span className="text-small text-muted">{props.aside}</span>}
      </div>
      {props.children({
        id,
        'aria-invalid': props.error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
      {props.error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-small text-red">
          {props.error}
        </p>
      )}
      {props.hint && (
        <p id={`${id}-hint`} className="mt-1 text-small text-muted">
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** The look of a text field or list of choices. */
export const controlClass =
  'h-control w-full min-w-0 rounded-control border border-control bg-card px-3 text-ink disabled:border-hairline disabled:bg-sunken disabled:text-muted aria-invalid:border-red aria-invalid:outline-red'

export const Input = (props: ComponentProps<'input'>) => (
  <input type="text" {...props} className={clsx(controlClass, props.className)} />
)

/** A failure that is not about a single field, in a red box. */
export function ErrorBox(props: { className?: string; children: ReactNode }) {
  return (
    <div
      role="alert"
      className={clsx('rounded-control border border-red bg-red-tint px-3 py-2 text-small text-red', props.className)}
    >
      {props.children}
    </div>
  )
}
