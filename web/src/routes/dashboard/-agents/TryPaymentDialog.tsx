import { useState } from 'react'
import { scopeFor } from '#domain/scopes.ts'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { Field, Select } from '#web/components/Field.tsx'
import type { Agent, PaymentRecipient, PolicyGroup } from '#web/queries/agents.ts'
import { TryPayment } from './TryPayment.tsx'

const kinds = ['contact', 'address', 'email', 'phone'] as const satisfies readonly PaymentRecipient['type'][]
/** The first kind of recipient that the group allows. */
export const firstKind = (group: PolicyGroup) =>
  kinds.find((kind) => group.scopes.includes(scopeFor[kind])) ?? 'address'

/** Tries a payment by one of the agents, under the saved rules. */
export default function TryPaymentDialog(props: { group: PolicyGroup; agents: Agent[]; onClose: () => void }) {
  const { group, agents } = props
  const [agentId, setAgentId] = useState(agents[0]!.id)
  const agent = agents.find(({ id }) => id === agentId) ?? agents[0]!
  return (
    <Dialog
      title="Try a payment"
      description="Checks a payment against the rules as they are saved. Nothing is paid or held."
      onClose={props.onClose}
      footer={
        <Button look="secondary" onClick={props.onClose}>
          Close
        </Button>
      }
    >
      <div className="space-y-4">
        {agents.length > 1 && (
          <Field label="Agent">
            {(control) => (
              <Select {...control} value={agent.id} onChange={(event) => setAgentId(event.target.value)}>
                {agents.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <TryPayment key={agent.id} agent={agent} first={firstKind(group)} />
      </div>
    </Dialog>
  )
}
