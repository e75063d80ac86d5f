import { toast } from 'react-hot-toast/headless'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { plural } from '#web/lib/format.ts'
import { deleteGroup, type PolicyGroupWithAgents, refreshGroups } from '#web/queries/agents.ts'

export default function DeleteGroupDialog(props: {
  group: PolicyGroupWithAgents
  onDeleted: () => void
  onClose: () => void
}) {
  const { policyGroup, agents } = props.group
  return (
    <ConfirmDialog
      title="Delete Policy Group"
      danger
      confirm={['Delete Policy Group', 'Deleting...']}
      fallback="Failed to delete policy group. Please try again."
      act={async () => {
        await deleteGroup(policyGroup.id)
        await refreshGroups()
        toast.success(`${policyGroup.name} was deleted.`)
      }}
      onClose={props.onClose}
      onDone={props.onDeleted}
    >
      <p>
        <strong className="break-words font-semibold">{policyGroup.name}</strong>
        {agents.length === 0 ? ' has no agents.' : ` and its ${plural(agents.length, 'agent')} will be deleted:`}
      </p>
      {agents.length > 0 && (
        <ul className="max-h-40 list-disc overflow-y-auto pl-5">
          {agents.map((agent) => (
            <li key={agent.id} className="break-words">
              {agent.name}
            </li>
          ))}
        </ul>
      )}
      <p>
        Their credentials stop working immediately. Queued payments that are not signed yet fail; signed ones still go
        through. The money stays in the wallet. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
