import { useBlocker } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Button } from '#web/components/Button.tsx'
import { CopyBox } from '#web/components/CopyBox.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { saveFile } from '#web/lib/saveFile.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import { Activity } from './Activity.tsx'
import { QuickStart } from './QuickStart.tsx'

/** An agent's credentials. Secrets are present only if they are new. */
export type Credentials = {
  agent: { id: string; name: string }
  clientId: string
  clientSecret?: string | null
  apiKey?: string | null
}

/** Shows an agent's new secrets, which is possible only once. */
export default function CredentialsDialog(props: {
  credentials: Credentials
  /** For the usage example. */
  group?: PolicyGroup | undefined
  /** Says what happens to the previous credentials. */
  note?: string
  onClose: () => void
}) {
  const { agent, clientId, clientSecret, apiKey } = props.credentials
  const shown = Boolean(clientSecret || apiKey)
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: shown })
  return (
    <Dialog
      wide
      title={`${agent.name}’s credentials`}
      description={
        shown
          ? 'They are shown only once. Store them where only your agent can read them.'
          : 'The agent exists, but its secrets were shown before and cannot be shown again.'
      }
      onClose={props.onClose}
      closable={!shown}
      footer={
        shown && (
          <>
            <Button look="secondary" onClick={() => download(props.credentials)}>
              <Download aria-hidden="true" className="size-4" />
              Download as JSON
            </Button>
            <Button onClick={props.onClose}>I have stored them</Button>
          </>
        )
      }
    >
      <div className="space-y-4">
        {props.note && <p>{props.note}</p>}
        <CopyBox name="Client ID" what="client ID" value={clientId} testId="client-id" />
        {clientSecret && (
          <CopyBox name="Client secret" what="client secret" value={clientSecret} testId="client-secret" />
        )}
        {apiKey && <CopyBox name="API key" what="API key" value={apiKey} testId="api-key" />}
        {!shown && <ErrorBox>Regenerate them in the agent’s menu if you did not keep them.</ErrorBox>}
        {shown && props.group && (
          <section aria-labelledby="quick-start">
            <h3 id="quick-start" className="mb-1 font-medium text-small">
              Quick start
            </h3>
            <QuickStart clientId={clientId} group={props.group} />
            <div className="mt-3">
              <Activity agentId={agent.id} isPlain />
            </div>
          </section>
        )}
      </div>
    </Dialog>
  )
}

function download({ agent, ...secrets }: Credentials): void {
  const text = JSON.stringify({ agent: agent.name, agentId: agent.id, ...secrets }, null, 2)
  const name = agent.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  saveFile(new Blob([text], { type: 'application/json' }), `bursar-${name || 'agent'}.json`)
}
