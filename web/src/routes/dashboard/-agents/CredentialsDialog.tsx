import { Download } from 'lucide-react'
import { Button } from '../../../components/Button.tsx'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Dialog } from '../../../components/Dialog.tsx'
import { ErrorBox } from '../../../components/Field.tsx'
import type { CreatedAgent } from '../../../queries/agents.ts'

/** The one time an agent's secrets are seen. */
export default function CredentialsDialog(props: { created: CreatedAgent; onClose: () => void }) {
  const { agent, clientId, clientSecret, apiKey } = props.created
  const shown = clientSecret !== null && apiKey !== null
  return (
    <Dialog
      wide
      title={`Credentials of ${agent.name}`}
      description={
        shown
          ? 'These are shown only once. Store them where your agent can read them and nobody else.'
          : 'The agent exists, but its secrets were shown before and can not be shown again.'
      }
      onClose={props.onClose}
      closable={!shown}
      footer={
        shown ? (
          <>
            <Button look="secondary" onClick={() => download(props.created)}>
              <Download aria-hidden="true" className="size-4" />
              Download as JSON
            </Button>
            <Button onClick={props.onClose}>I stored it</Button>
          </>
        ) : (
          <Button onClick={props.onClose}>Close</Button>
        )
      }
    >
      <div className="space-y-4">
        <Secret name="Client ID" value={clientId} testId="client-id" />
        {shown ? (
          <>
            <Secret name="Client secret" value={clientSecret} testId="client-secret" />
            <Secret name="API key" value={apiKey} testId="api-key" />
            <QuickStart clientId={clientId} />
          </>
        ) : (
          <ErrorBox>Create a new agent if you did not keep them.</ErrorBox>
        )}
      </div>
    </Dialog>
  )
}

function Secret(props: { name: string; value: string; testId: string }) {
  return (
    <div>
      <p className="mb-1 text-muted text-small">{props.name}</p>
      <div className="flex items-center justify-between gap-2 rounded-control bg-sunken py-1.5 pr-2 pl-4">
        <span data-testid={props.testId} className="break-all font-mono text-small">
          {props.value}
        </span>
        <CopyButton text={props.value} what={props.name.replace('Client', 'client')} />
      </div>
    </div>
  )
}

/** Two calls that pay for the first time, with this agent's client id in place. */
function QuickStart(props: { clientId: string }) {
  const { origin } = location
  const script = `# A token, good for a few minutes
TOKEN=$(curl -s ${origin}/oauth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${props.clientId} \\
  -d client_secret="$BURSAR_CLIENT_SECRET" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

# Pay 1.00 USDC; the same Idempotency-Key never pays twice
curl ${origin}/v1/payments \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: first-payment" \\
  -H "Content-Type: application/json" \\
  -d '{"to": {"type": "address", "address": "0x…"}, "amount": "1.00"}'`
  return (
    <section aria-labelledby="quick-start">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 id="quick-start" className="font-medium text-small">
          Quick start
        </h3>
        <CopyButton text={script} what="quick start" />
      </div>
      <pre className="whitespace-pre-wrap break-all rounded-control bg-ink p-4 text-[12px]/5 text-paper">{script}</pre>
    </section>
  )
}

function download({ agent, clientId, clientSecret, apiKey }: CreatedAgent): void {
  const text = JSON.stringify({ agent: agent.name, agentId: agent.id, clientId, clientSecret, apiKey }, null, 2)
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `bursar-${
    agent.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'agent'
  }.json`
  link.click()
  URL.revokeObjectURL(url)
}
