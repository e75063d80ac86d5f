import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { PolicyExposure } from '#web/components/PolicyExposure.tsx'
import { ApiError } from '#web/lib/apiError.ts'
import { budgetLeftAsTyped } from '#web/lib/budgetLeft.ts'
import { formatAmount } from '#web/lib/format.ts'
import { formResolver } from '#web/lib/formResolver.ts'
import {
  fetchGroup,
  type PolicyGroupWithAgents,
  refreshGroups,
  type ScopeUpdate,
  updateGroup,
} from '#web/queries/agents.ts'
import { GroupFields } from './GroupFields.tsx'
import { changesOf, editInput, editProblems, type GroupValues, groupFields, merge, valuesOf } from './groupForm.ts'
import { PolicyEffect } from './PolicyEffect.tsx'
import TryPaymentDialog from './TryPaymentDialog.tsx'

export default function EditGroupDialog(props: { group: PolicyGroupWithAgents; onClose: () => void }) {
  const { agents } = props.group
  // The version that the form was filled from. It does not change while the user types.
  const [base, setBase] = useState(props.group.policyGroup)
  const [results, setResults] = useState<ScopeUpdate[]>([])
  const [trying, setTrying] = useState(false)
  const form = useForm<GroupValues>({
    resolver: formResolver((values) => editProblems(values, base)),
    defaultValues: valuesOf(base),
  })

  /** Handles a change of the group elsewhere: untouched fields take the new values, and the next save is based on them. */
  async function mergeLatest(values: GroupValues): Promise<never> {
    const latest = await fetchGroup(base.id)
    const theirs = changesOf(valuesOf(base), valuesOf(latest))
    const mine = changesOf(valuesOf(base), values)
    form.reset(merge(valuesOf(base), values, valuesOf(latest)))
    setBase(latest)
    const list = theirs.map((name) => (mine.includes(name) ? `${name} (your value is kept)` : name)).join(', ')
    throw new ApiError(
      409,
      'conflict',
      `This policy group was changed while you edited it${list && `: ${list}`}. Nothing you typed is lost. Check it and save again.`,
    )
  }

  if (results.length > 0)
    return <Results name={form.getValues('name').trim()} results={results} onClose={props.onClose} />
  return (
    <>
      <FormDialog
        title="Edit Policy Group"
        description="Takes effect on its agents’ next call."
        form={form}
        onClose={props.onClose}
        submit={['Save Changes', 'Saving...']}
        send={async (values) => {
          try {
            const { scopeUpdateResults = [] } = await updateGroup(base.id, editInput(values, base))
            await refreshGroups()
            if (scopeUpdateResults.length > 0) return setResults(scopeUpdateResults)
            toast.success(`${values.name.trim()} was updated.`)
            props.onClose()
          } catch (error) {
            if (error instanceof ApiError && error.status === 409 && error.field === 'version')
              await mergeLatest(values)
            throw error
          }
        }}
        fallback="Failed to update policy group. Please try again."
        fields={groupFields}
      >
        <GroupFields
          form={form}
          wallet={base.wallet ?? { name: null }}
          budgetHint={`In total, for all agents of the group. $${formatAmount(base.currentSpent)} is spent and $${formatAmount(base.held)} held.`}
        />
        <PolicyExposure groupId={base.id} left={budgetLeftAsTyped(base, form.watch())} />
        <PolicyEffect form={form} group={base} onTry={agents.length > 0 ? () => setTrying(true) : undefined} />
      </FormDialog>
      {/* Outside the form, since it is one itself. */}
      {trying && <TryPaymentDialog group={base} agents={agents} onClose={() => setTrying(false)} />}
    </>
  )
}

/** The result of the change for each agent. */
function Results(props: { name: string; results: ScopeUpdate[]; onClose: () => void }) {
  const failed = props.results.filter(({ success }) => !success).length
  return (
    <Dialog
      title="Policy group updated"
      description={
        failed === 0
          ? `${props.name} is saved. Its agents have the new permissions now.`
          : `${props.name} is saved, but not every agent has the new permissions.`
      }
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Done</Button>}
    >
      <ul aria-label="Agents" className="divide-y divide-hairline">
        {props.results.map(({ agentName, success, error }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two agents may share a name, and the list never changes
          <li key={i} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 break-words">{agentName}</span>
            {success ? <Chip tone="good">Updated</Chip> : <Chip tone="bad">{error || 'Not updated'}</Chip>}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
