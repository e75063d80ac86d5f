import { useForm } from 'react-hook-form'
import { Field } from '#web/components/Field.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { PasswordInput } from '#web/components/PasswordInput.tsx'
import { formResolver } from '#web/lib/formResolver.ts'
import { type Approval, approve } from '#web/queries/approvals.ts'
import { sendDecision } from './sendDecision.ts'
import { amountOf, recipientOf } from './words.ts'

type Values = { password: string }
const resolver = formResolver<Values>(({ password }) => ({ password: password ? null : 'Please enter your password' }))

/** Approves once, with the password that the owner requires above a certain amount. */
export default function PasswordDialog(props: { approval: Approval; onClose: () => void }) {
  const { approval } = props
  const form = useForm<Values>({ resolver, defaultValues: { password: '' } })
  const amount = amountOf(approval)
  return (
    <FormDialog
      title={`Approve ${amount}`}
      description={`To ${recipientOf(approval)}. Amounts above your limit require the password.`}
      form={form}
      onClose={props.onClose}
      submit={[`Approve ${amount}`, 'Approving...']}
      send={async ({ password }) => {
        await sendDecision(() => approve(approval.id, { hash: approval.hash, password }), props.onClose)
      }}
      fallback="The payment could not be approved. Please try again."
      unknown="It is not known whether it was approved. Try again: nothing is paid twice."
    >
      <Field label="Password" error={form.formState.errors.password?.message}>
        {(control) => <PasswordInput {...control} {...form.register('password')} autoComplete="current-password" />}
      </Field>
    </FormDialog>
  )
}
