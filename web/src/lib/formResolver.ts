import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/**
 * Validates a react-hook-form with a plain function, so that the rules come from #domain and no schema library is loaded.
 * `check` returns a message for each invalid field, in field order: the first one gets the focus.
 */
export function formResolver<Values extends FieldValues>(
  check: (values: Values) => { [Field in keyof Values]?: string | null },
): Resolver<Values> {
  return (values) => {
    const errors: Record<string, { type: string; message: string }> = {}
    for (const [field, message] of Object.entries(check(values)))
      if (message) errors[field] = { type: 'check', message }
    return Object.keys(errors).length > 0
      ? { values: {}, errors: errors as FieldErrors<Values> }
      : { values, errors: {} as Record<string, never> }
  }
}
