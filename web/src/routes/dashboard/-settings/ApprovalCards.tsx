import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { ShortAddress } from '#web/components/Address.tsx'
import { Button } from '#web/components/Button.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { AmountField, formResolver, PasswordField } from '#web/components/forms.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { May } from '#web/components/May.tsx'
import { Loaded, Skeleton, SkeletonRows } from '#web/components/states.tsx'
import { fieldText, microOf, typedDecimal, typedMicro, typedProblem } from '#web/lib/amounts.ts'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { formatAmount, formatMoment } from '#web/lib/format.ts'
import {
  type ApprovalSettings,
  approvalSettingsQuery,
  endGrant,
  type Grant,
  grantsQuery,
  saveApprovalSettings,
} from '#web/queries/approvals.ts'

/** Sets the amount above which changes, sends and approvals require the password. */
export function PasswordAboveCard() {
  const query = useQuery(approvalSettingsQuery)
  return (
    <TitledCard id="approvals" title="Approvals">
      <p className="mb-4 text-muted">
        Bursar can ask for your password before more money may leave: when you send, approve, top up, loosen a rule or
        create a key. The amount counts all such steps of 24 hours together.
      </p>
      <Loaded query={query} loading={<Skeleton className="h-24" />}>
        {(data) => <SettingsForm settings={data} />}
      </Loaded>
    </TitledCard>
  )
}

type Values = { passwordAbove: string; password: string }

function SettingsForm({ settings }: { settings: ApprovalSettings }) {
  const form = useForm<Values>({
    resolver: formResolver((values) => ({
      passwordAbove:
        (values.passwordAbove.trim() && typedProblem(values.passwordAbove, 'Please enter a valid amount')) || null,
      password: protectsLess(settings, values) && !values.password ? 'Please enter your password' : null,
    })),
    values: { passwordAbove: fieldText(settings.passwordAbove), password: '' },
  })
  const { errors, isDirty, isSubmitting: busy } = form.formState
  const asks = protectsLess(settings, form.watch()) || errors.password !== undefined

  const submit = form.handleSubmit(async ({ passwordAbove, password }) => {
    try {
      await saveApprovalSettings({
        passwordAbove: passwordAbove.trim() ? typedDecimal(passwordAbove) : null,
        ...(password && { password }),
      })
      form.setFocus('passwordAbove') // the button is disabled now, and the password's field may be gone
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
      <AmountField form={form} name="passwordAbove" label="Ask for the password above" hint="Leave empty for never." />
      {asks && (
        <PasswordField
          form={form}
          name="password"
          label="Password"
          hint="Required, because this lowers the protection."
          autoComplete="current-password"
        />
      )}
      <GatedButton type="submit" look="secondary" busy={busy} missing={isDirty ? null : 'Change the amount first.'}>
        Save limit
      </GatedButton>
    </form>
  )
}

/** Whether the limit is raised or removed. */
function protectsLess({ passwordAbove }: ApprovalSettings, values: Values): boolean {
  if (passwordAbove === null) return false
  const typed = values.passwordAbove.trim()
  return typed === '' || (typedMicro(typed) ?? 0n) > microOf(passwordAbove)
}

/** Lists active grants (payments allowed without asking), each with a button to end it. */
export function GrantsCard() {
  const query = useQuery(grantsQuery)
  const [ending, setEnding] = useState<Grant | null>(null)
  return (
    <TitledCard id="grants" title="Always allowed">
      <p className="text-muted">Payments that do not need an approval. Every other rule still applies to them.</p>
      <Loaded query={query} loading={<SkeletonRows rows={2} />}>
        {(data) => (
          <ul aria-label="Always allowed" className="mt-2 divide-y divide-hairline">
            {data.map((grant) => (
              <li key={grant.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
                <div className="min-w-0">
                  <p className="wrap-anywhere font-medium">
                    {grant.agent.name} to {grant.contact?.name ?? 'an address'}
                  </p>
                  <ShortAddress address={grant.address} />
                  <p className="text-muted text-small">
                    {formatAmount(grant.remaining)} of {formatAmount(grant.limit)} USDC left, until{' '}
                    {formatMoment(grant.endsAt)}
                  </p>
                </div>
                <May call="approvals.endGrant">
                  <Button
                    look="secondary"
                    aria-label={`End: ${grant.agent.name} to ${grant.contact?.name ?? grant.address}`}
                    onClick={() => setEnding(grant)}
                  >
                    End
                  </Button>
                </May>
              </li>
            ))}
            {data.length === 0 && (
              <li className="py-2 text-muted">
                None.<May call="approvals.grant"> You can allow some when you approve a payment.</May>
              </li>
            )}
          </ul>
        )}
      </Loaded>
      {ending && (
        <ConfirmDialog
          title="Ask about these payments again?"
          confirm={['End', 'Ending...']}
          act={() => endGrant(ending.id)}
          fallback="This could not be ended. Please try again."
          onClose={() => setEnding(null)}
          onDone={() => {
            setEnding(null)
            toast.success('You are asked again from now on.')
          }}
        >
          <p>
            Past payments are not affected. From the agent’s next call on, the rules of {ending.policyGroup.name} decide
            whether you are asked.
          </p>
        </ConfirmDialog>
      )}
    </TitledCard>
  )
}
