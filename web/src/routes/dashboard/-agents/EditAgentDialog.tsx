import { useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { formResolver } from '#web/lib/formResolver.ts'
import { type Agent, refreshGroups, updateAgent } from '#web/queries/agents.ts'
import { AgentFields, type AgentValues, agentProblems } from './AgentFields.tsx'

const resolver = formResolver<AgentValues>(agentProblems)

export default function EditAgentDialog(props: { agent: Agent; onClose: () => void }) {
  const { agent } = props
  const form = useForm<AgentValues>({ resolver, defaultValues: { name: agent.name, memo: agent.memo ?? '' } })
  return (
    <FormDialog
      title="Edit Agent"
      form={form}
      onClose={props.onClose}
      submit={['Save Changes', 'Saving...']}
      send={async ({ name, memo }) => {
        await updateAgent(agent.id, { name: name.trim(), memo: memo.trim() })
        await refreshGroups()
        toast.success(`${name.trim()} was updated.`)
        props.onClose()
      }}
      fallback="Failed to update agent. Please try again."
    >
      <AgentFields form={form} />
    </FormDialog>
  )
}
