import { toast } from 'react-hot-toast/headless'
import { ConfirmDialog } from '#web/components/ConfirmDialog.tsx'
import { type Agent, deleteAgent, refreshGroups } from '#web/queries/agents.ts'

export default function DeleteAgentDialog(props: { agent: Agent; onClose: () => void }) {
  const { agent } = props
  return (
    <ConfirmDialog
      title="Delete Agent"
      danger
      confirm={['Delete Agent', 'Deleting...']}
      fallback="Failed to delete agent. Please try again."
      act={async () => {
        await deleteAgent(agent.id)
        await refreshGroups()
        toast.success(`${agent.name} was deleted.`)
      }}
      onClose={props.onClose}
    >
      <p>
        The credentials of <strong className="break-words font-semibold">{agent.name}</strong> stop working immediately.
        Queued payments that are not signed yet fail; signed ones still go through. The history is kept. This cannot be
        undone.
      </p>
    </ConfirmDialog>
  )
}
