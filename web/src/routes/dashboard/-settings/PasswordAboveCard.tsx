import { useQuery } from '@tanstack/react-query'
import { Controller, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { AmountInput } from '#web/components/AmountInput.tsx'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { ErrorBox, Field } from '#web/components/Field.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'
import { ErrorState, Skeleton } from '#web/components/states.tsx'
import { microOf, typedDecimal, typedMicro } from '#web/lib/amounts.ts'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import { type ApprovalSettings, approvalSettingsQuery, saveApprovalSettings } from '#web/queries/approvals.ts'

/** Sets the amount above which approving requires the password. */
export function PasswordAboveCard() {
  const { data, error, refetch } = useQuery(approvalSettingsQuery)
  return (
    <Card aria-labelledby="approvals" className="p-5">
      <h2 id="approvals" className="mb-1 font-semibold">
        Approvals
      </h2>
      <p className="mb-4 text-muted">Above a given amount, approving can also ask for your password.</p>
      {data ? (
        <SettingsForm key={data.passwordAbove} settings={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <Skeleton className="h-24" />
      )}
    </Card>
  )
}

type Values = { passwordAbove: string; password: string }

function SettingsForm({ settings }: { settings: ApprovalSettings }) {
  const form = useForm<Values>({
    resolver: formResolver((values) => ({
      passwordAbove:
        values.passwordAbove.trim() && typedMicro(values.passwordAbove) === null ? 'Please enter a valid amount' : null,
      password: protectsLess(settings, values) && !values.password ? 'Please enter your password' : null,
    })),
    defaultValues: { passwordAbove: settings.passwordAbove ?? '', password: '' },
  })
  const { errors, isDirty, isSubmitting: busy } = form.formState
  const asks = protectsLess(settings, form.watch()) || errors.password !== undefined

  const submit = form.handleSubmit(async ({ passwordAbove, password }) => {
    try {
      await saveApprovalSettings({
        passwordAbove: passwordAbove.trim() ? typedDecimal(passwordAbove) : null,
        ...(password && { password }),
      })
      form.reset({ passwordAbove, password: '' })
      toast.success('Saved.')
    } catch (error) {
      const field = error instanceof ApiError && error.field
      const message = messageOf(error, 'This could not be saved. Please try again.')
      form.setError(field === 'password' || field === 'passwordAbove' ? field : 'root', { message })
    }
  })

  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
      <Controller
        control={form.control}
        name="passwordAbove"
        render={({ field }) => (
          <Field label="Ask for the password above" error={errors.passwordAbove?.message} hint="Leave empty for never.">
            {(control) => <AmountInput {...control} {...field} />}
          </Field>
        )}
      />
      {asks && (
        <Field label="Password" error={errors.password?.message} hint="Required, because this lowers the protection.">
          {(control) => <PasswordInput {...control} {...form.register('password')} autoComplete="current-password" />}
        </Field>
      )}
      <Button type="submit" look="secondary" busy={busy} disabled={!isDirty}>
        Save limit
      </Button>
    </form>
  )
}

/** Whether the limit is raised or removed. */
function protectsLess({ passwordAbove }: ApprovalSettings, values: Values): boolean {
  if (passwordAbove === null) return false
  const typed = values.passwordAbove.trim()
  return typed === '' || (typedMicro(typed) ?? 0n) > microOf(passwordAbove)
}
