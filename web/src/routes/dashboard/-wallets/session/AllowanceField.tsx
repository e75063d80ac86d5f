import type { ComponentProps } from 'react'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Field } from '#web/components/Field.tsx'
import { allowanceInWords } from './grant.ts'

/** A session's purchase allowance, as typed, and what it means. */
export function AllowanceField(
  props: ComponentProps<typeof AmountInput> & { error: string | undefined; aside?: string },
) {
  const { error, aside = 'Whole dollars', ...input } = props
  return (
    <Field label="For purchases" aside={aside} error={error} hint={error ? undefined : allowanceInWords(input.value)}>
      {(control) => <AmountInput {...control} {...input} />}
    </Field>
  )
}
