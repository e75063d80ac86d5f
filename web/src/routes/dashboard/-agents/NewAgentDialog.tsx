import { useForm } from 'react-hook-form'
import { Button } from '../../../components/Button.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox, Field, Input, Select } from '../../../components/Field.tsx'
import { messageOf } from '../../../lib/api.ts'
import { useIdempotencyKey } from '../../../lib/hooks.ts'
import { resolve } from '../../../lib/resolver.ts'
import { type CreatedAgent, createAgent, type PolicyGroupWithAgents } from '../../../queries/agents.ts'

type Values = { name: string; memo: string; policyGroupId: string }

const resolver = resolve<Values>((values) => ({
  name: values.name.trim() ? null : 'Name is required',
  policyGroupId: values.policyGroupId ? null : 'Please select a policy group',
}))

export default function NewAgentDialog(props: {
  groups: PolicyGroupWithAgents[]
  groupId: string | undefined
  onClose: () => void
  onCreated: (agent: CreatedAgent) => void
}) {
  const idempotencyKey = useIdempotencyKey()
  const form = useForm<Values>({ resolver, defaultValues: { name: '', memo: '', policyGroupId: props.groupId ?? '' } })
  const { errors, isSubmitting: busy } = form.formState

  const submit = form.handleSubmit(async ({ name, memo, policyGroupId }) => {
    const input = { name: name.trim(), policyGroupId, ...(memo.trim() ? { memo: memo.trim() } : {}) }
    try {
      props.onCreated(await createAgent(input, idempotencyKey.current()))
    } catch (error) {
      idempotencyKey.refused(error)
      form.setError('root', { message: messageOf(error, 'Failed to create agent. Please try again.') })
    }
  })

  return (
    <Dialog
      title="Add New Agent"
      description="It gets credentials of its own, shown once, and spends under its group's policy."
      onClose={props.onClose}
      locked={busy}
      onSubmit={submit}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? 'Creating...' : 'Create Agent'}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {errors.root?.message && <ErrorBox>{errors.root.message}</ErrorBox>}
        <Field label="Name" error={errors.name?.message}>
          {(control) => (
            <Input
              {...control}
              {...form.register('name')}
              maxLength={60}
              placeholder="Invoice bot"
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Memo" aside="Optional">
          {(control) => <Input {...control} {...form.register('memo')} maxLength={200} autoComplete="off" />}
        </Field>
        <Field label="Policy group" error={errors.policyGroupId?.message}>
          {(control) => (
            <Select {...control} {...form.register('policyGroupId')}>
              <option value="">Select a policy group</option>
              {props.groups.map(({ policyGroup }) => (
                <option key={policyGroup.id} value={policyGroup.id}>
                  {policyGroup.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </Dialog>
  )
}
