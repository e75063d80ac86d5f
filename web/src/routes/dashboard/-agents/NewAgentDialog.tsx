import { type UseFormReturn, useForm } from 'react-hook-form'
import { Field, Select } from '#web/components/Field.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { formResolver } from '#web/lib/formResolver.ts'
import type { PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { type CreatedAgent, createAgent } from '#web/queries/agents.ts'
import { AgentFields, type AgentValues, agentProblems } from './AgentFields.tsx'

type Values = AgentValues & { policyGroupId: string }

const resolver = formResolver<Values>((values) => ({
  ...agentProblems(values),
  policyGroupId: values.policyGroupId ? null : 'Please select a policy group',
}))

export default function NewAgentDialog(props: {
  groups: PolicyGroupWithAgents[]
  groupId: string | undefined
  onClose: () => void
  onCreated: (agent: CreatedAgent) => void
}) {
  const form = useForm<Values>({ resolver, defaultValues: { name: '', memo: '', policyGroupId: props.groupId ?? '' } })
  return (
    <FormDialog
      title="Add New Agent"
      description="An agent has its own credentials, shown once, and spends under its group’s policy."
      form={form}
      onClose={props.onClose}
      submit={['Create Agent', 'Creating...']}
      send={async ({ name, memo, policyGroupId }, idempotencyKey) => {
        const input = { name: name.trim(), policyGroupId, ...(memo.trim() ? { memo: memo.trim() } : {}) }
        props.onCreated(await createAgent(input, idempotencyKey))
      }}
      fallback="Failed to create agent. Please try again."
    >
      <AgentFields form={form as unknown as UseFormReturn<AgentValues>} />
      <Field label="Policy group" error={form.formState.errors.policyGroupId?.message}>
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
    </FormDialog>
  )
}
