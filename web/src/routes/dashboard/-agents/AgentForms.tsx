import { type UseFormReturn, useForm } from 'react-hook-form'
import { toast } from 'react-hot-toast/headless'
import { agentMemo, agentName } from '#domain/nameRules.ts'
import { problemIn } from '#domain/readers/read.ts'
import { readText } from '#domain/readers/text.ts'
import { Checkbox } from '#web/components/Checkbox.tsx'
import { FormDialog, formResolver, SelectField, TextField } from '#web/components/forms.tsx'
import { StopDialog } from '#web/components/HandedOut.tsx'
import {
  type Agent,
  type CreatedAgent,
  createAgent,
  deleteAgent,
  type PolicyGroupWithAgents,
  regenerateApiKey,
  regenerateSecret,
  updateAgent,
} from '#web/queries/agents.ts'
import type { Credentials } from './CredentialsDialog.tsx'

type AgentValues = { name: string; memo: string }

const agentProblems = (values: AgentValues) => ({
  name: problemIn(readText(agentName, values.name)),
  memo: problemIn(readText(agentMemo, values.memo)),
})

/** The fields of an agent. `form` may have others. */
const AgentFields = ({ form }: { form: Pick<UseFormReturn<AgentValues>, 'register' | 'formState'> }) => (
  <>
    <TextField form={form} name="name" label="Name" placeholder="Invoice bot" autoComplete="off" />
    <TextField form={form} name="memo" label="Memo" aside="Optional" autoComplete="off" />
  </>
)

type NewAgentValues = AgentValues & { policyGroupId: string }

const newAgentResolver = formResolver<NewAgentValues>((values) => ({
  ...agentProblems(values),
  policyGroupId: values.policyGroupId ? null : 'Please select a policy group',
}))

export function NewAgentDialog(props: {
  groups: PolicyGroupWithAgents[]
  groupId: string | undefined
  onClose: () => void
  onCreated: (agent: CreatedAgent) => void
}) {
  const form = useForm<NewAgentValues>({
    resolver: newAgentResolver,
    defaultValues: { name: '', memo: '', policyGroupId: props.groupId ?? '' },
  })
  return (
    <FormDialog
      title="Add New Agent"
      subject={null}
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
      <SelectField
        form={form}
        name="policyGroupId"
        label="Policy group"
        none="Select a policy group"
        choices={props.groups.map(({ policyGroup: { id, name } }) => [id, name])}
      />
    </FormDialog>
  )
}

export function EditAgentDialog(props: { agent: Agent; onClose: () => void }) {
  const { agent } = props
  const form = useForm<AgentValues>({
    resolver: formResolver(agentProblems),
    defaultValues: { name: agent.name, memo: agent.memo ?? '' },
  })
  return (
    <FormDialog
      title="Edit Agent"
      subject={agent.id}
      form={form}
      onClose={props.onClose}
      submit={['Save Changes', 'Saving...']}
      send={async ({ name, memo }) => {
        await updateAgent(agent.id, { name: name.trim(), memo: memo.trim() })
        toast.success(`${name.trim()} was updated.`)
        props.onClose()
      }}
      fallback="Failed to update agent. Please try again."
    >
      <AgentFields form={form} />
    </FormDialog>
  )
}

export function DeleteAgentDialog(props: { agent: Agent; onClose: () => void }) {
  const { agent } = props
  return (
    <StopDialog
      endsFor={({ agentId }) => agentId === agent.id}
      title="Delete Agent"
      danger
      confirm={['Delete Agent', 'Deleting...']}
      fallback="Failed to delete agent. Please try again."
      act={() => deleteAgent(agent.id)}
      done={`${agent.name} was deleted.`}
      onClose={props.onClose}
    >
      <p>
        The credentials of <strong className="break-words font-semibold">{agent.name}</strong> stop working immediately.
        Queued payments that are not signed yet fail; signed ones still go through. The history is kept. This cannot be
        undone.
      </p>
    </StopDialog>
  )
}

export type Regenerated = Credentials & { /** Says what happens to the previous credential. */ note: string }

const kinds = {
  key: {
    title: 'Regenerate API Key',
    what: 'API key',
    fallback: 'Failed to regenerate API key. Please try again.',
    regenerate: regenerateApiKey,
  },
  credentials: {
    title: 'Regenerate Credentials',
    what: 'client secret',
    fallback: 'Failed to regenerate OAuth credentials. Please try again.',
    regenerate: regenerateSecret,
  },
}

/** Replaces a credential of an agent. The previous one works for another 24 hours unless it is revoked. */
export function RegenerateDialog(props: {
  agent: Agent
  kind: keyof typeof kinds
  onClose: () => void
  onDone: (regenerated: Regenerated) => void
}) {
  const { agent } = props
  const { title, what, fallback, regenerate } = kinds[props.kind]
  const form = useForm<{ old: 'keep' | 'revoke' }>({ defaultValues: { old: 'keep' } })
  return (
    <FormDialog
      title={title}
      subject={agent.id}
      description={`A new ${what} for ${agent.name}, shown once.`}
      form={form}
      onClose={props.onClose}
      submit={['Regenerate', 'Regenerating...']}
      send={async ({ old }) => {
        const revokeNow = old === 'revoke'
        const credentials = await regenerate(agent.id, revokeNow)
        const note = revokeNow
          ? `The previous ${what} no longer works.`
          : `The previous ${what} keeps working for 24 hours.`
        props.onDone({ agent, clientId: agent.clientId, ...credentials, note })
      }}
      fallback={fallback}
    >
      <fieldset className="space-y-1">
        <legend className="mb-1 font-medium text-small">The current {what}</legend>
        <Checkbox
          type="radio"
          value="keep"
          {...form.register('old')}
          label="Keeps working for 24 hours"
          hint="Gives you time to configure the agent with the new one."
        />
        <Checkbox
          type="radio"
          value="revoke"
          {...form.register('old')}
          label="Revoke now"
          hint="Use this if it may have leaked. It stops working immediately."
        />
      </fieldset>
    </FormDialog>
  )
}
