import { useForm } from 'react-hook-form'
import { Checkbox } from '#web/components/Field.tsx'
import { FormDialog } from '#web/components/FormDialog.tsx'
import { type Agent, refreshGroups, regenerateApiKey, regenerateSecret } from '#web/queries/agents.ts'
import type { Credentials } from './CredentialsDialog.tsx'

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
export default function RegenerateDialog(props: {
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
      description={`A new ${what} for ${agent.name}, shown once.`}
      form={form}
      onClose={props.onClose}
      submit={['Regenerate', 'Regenerating...']}
      send={async ({ old }) => {
        const revokeNow = old === 'revoke'
        const credentials = await regenerate(agent.id, revokeNow)
        await refreshGroups()
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
          hint="If it may have leaked: calls with it are refused from now on."
        />
      </fieldset>
    </FormDialog>
  )
}
