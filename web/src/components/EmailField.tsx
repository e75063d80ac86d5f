import type { ComponentProps, ReactNode } from 'react'
import { Field, Input } from './Field.tsx'

export function EmailField(props: ComponentProps<'input'> & { error?: string | undefined; hint?: ReactNode }) {
  const { error, hint, ...rest } = props
  return (
    <Field label="Email" error={error} hint={hint}>
      {(control) => (
        <Input
          {...control}
          type="email"
          placeholder="you@example.com"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...rest}
        />
      )}
    </Field>
  )
}
