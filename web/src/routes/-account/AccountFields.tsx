import type { ComponentProps } from 'react'
import { CodeInput } from '#web/components/Code.tsx'
import { Field } from '#web/components/Field.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'

type InputProps = ComponentProps<'input'> & { error: string | undefined }

export const CodeField = ({ error, ...input }: InputProps) => (
  <Field label="6-digit code" error={error}>
    {(control) => <CodeInput {...control} required {...input} />}
  </Field>
)

/** For a form with a field `code`. */
export const codeProblem = (code: string) =>
  /^\d{6}$/.test(code) ? null : { field: 'code' as const, message: 'Code must be 6 digits' }

/** For a form with a field `newPassword`. */
export const newPasswordProblem = (password: string) =>
  password.length < 8 ? { field: 'newPassword' as const, message: 'Password must be at least 8 characters' } : null

export const NewPasswordField = ({ error, label, ...input }: InputProps & { label: string }) => (
  <Field label={label} error={error} hint="At least 8 characters">
    {(control) => <PasswordInput {...control} autoComplete="new-password" minLength={8} required {...input} />}
  </Field>
)
