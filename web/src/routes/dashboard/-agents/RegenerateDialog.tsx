import { useForm } from 'react-hook-form'
import { Checkbox } from '../../../components/Field.tsx'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { type Agent, refreshGroups, regenerateApiKey, regenerateSecret } from '../../../queries/agents.ts'
import type { Credentials } from './CredentialsDialog.tsx'

export type Regenerated = Credentials & { note: string }

const kinds = {
  key: {
    title: 'Regenerate API Key',
    what: 'API key',
    fallback: 'Failed to regenerate API key. Please try again.',
    make: regenerateApiKey,
  },
  credentials: {
    title: 'Regenerate Credentials',
    what: 'client secret',
    fallback: 'Failed to regenerate OAuth credentials. Please try again.',
    make: regenerateSecret,
  },
}

/** New secrets for an agent, with a day for the change-over unless the old one must die now. */
export default function RegenerateDialog(props: {
  agent: Agent
  kind: keyof typeof kinds
  onClose: () => void
  onDone: (made: Regenerated) => void
}) {
  const { agent } = props
  const { title, what, fallback, make } = kinds[props.kind]
  const form = useForm<{ old: 'keep' | 'revoke' }>({ defaultValues: { old: 'keep' } })
  return (
    <FormDialog
      title={title}
      description={`A new ${what} for ${agent.name}, shown once.`}
      form={form}
      onClose={props.onClose}
      submit={['Regenerate', 'Regenerating...']}
      send={async ({ old }) => {
        const revokeNow = old === 'revoke'
        const made = await make(agent.id, revokeNow)
        await refreshGroups()
        const note = revokeNow
          ? `The previous ${what} no longer works.`
          : `The previous ${what} keeps working for 24 hours.`
        props.onDone({ agent, clientId: agent.clientId, ...made, note })
      }}
      fallback={fallback}
    >
      <fieldset className="space-y-1">
        <legend className="mb-1 font-medium text-small">The {what} in use now</legend>
        <Checkbox
          type="radio"
          value="keep"
          {...form.register('old')}
          label="Keeps working for 24 hours"
          hint="Time to bring the new one to wherever the agent runs."
        />
        <Checkbox
          type="radio"
          value="revoke"
          {...form.register('old')}
          label="Revoke now"
          hint="For one that may have leaked: calls with it are refused from now on."
        />
      </fieldset>
    </FormDialog>
  )
}
