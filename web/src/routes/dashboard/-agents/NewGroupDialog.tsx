import { useForm } from 'react-hook-form'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { PolicyExposure } from '#web/components/PolicyExposure.tsx'
import { budgetLeftAsTyped } from '#web/lib/budgetLeft.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import { createGroup, type PolicyGroup, refreshGroups } from '#web/queries/agents.ts'
import { GroupFields } from './GroupFields.tsx'
import { type GroupValues, groupFields, groupInput, groupProblems, noGroup } from './groupForm.ts'
import { PolicyEffect } from './PolicyEffect.tsx'

const resolver = formResolver<GroupValues>(groupProblems)

export default function NewGroupDialog(props: { onClose: () => void; onCreated: (group: PolicyGroup) => void }) {
  const form = useForm<GroupValues>({ resolver, defaultValues: noGroup })
  return (
    <FormDialog
      title="Add New Policy Group"
      description="A budget, the wallet that pays, and the recipients that agents may pay."
      form={form}
      onClose={props.onClose}
      submit={['Create Policy Group', 'Creating...']}
      send={async (values, idempotencyKey) => {
        const group = await createGroup(groupInput(values), idempotencyKey)
        await refreshGroups()
        props.onCreated(group)
      }}
      fallback="Failed to create policy group. Please try again."
      fields={groupFields}
    >
      <GroupFields form={form} budgetHint="In total, for all agents of the group." />
      <PolicyExposure groupId={null} walletId={form.watch('walletId')} left={budgetLeftAsTyped(null, form.watch())} />
      <PolicyEffect form={form} group={null} />
    </FormDialog>
  )
}
