import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/**
 * A resolver over plain checks: `check` answers the problems by field, in the order in which they should be
 * met (the first one gets the focus), or nothing when all is fine.
 */
export function resolve<T extends FieldValues>(check: (values: T) => { [K in keyof T]?: string | null }): Resolver<T> {
  return (values) => {
    const errors: Record<string, { type: string; message: string }> = {}
    for (const [field, message] of Object.entries(check(values)))
      if (message) errors[field] = { type: 'check', message }
    return Object.keys(errors).length > 0
      ? { values: {}, errors: errors as FieldErrors<T> }
      : { values, errors: {} as Record<string, never> }
  }
}
