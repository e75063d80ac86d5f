import type { ReactNode } from 'react'
import { May } from '#web/components/May.tsx'
import type { Agent, PolicyGroup } from '#web/queries/agents.ts'
import { Activity } from './Activity.tsx'
import { QuickStart } from './QuickStart.tsx'
import { firstKind, TryPayment } from './TryPayment.tsx'

/** What an agent did, a check of a payment, and how to connect it. */
export default function AgentTools(props: { agent: Agent; group: PolicyGroup }) {
  const { agent, group } = props
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-6 xl:grid-cols-2">
      <Part title="Activity">
        <Activity agentId={agent.id} />
      </Part>
      <div className="min-w-0 space-y-6 empty:hidden">
        <May call="checkPayment">
          <Part title="Try a payment" hint="Checks a payment against the current rules. Nothing is paid or held.">
            <TryPayment agent={agent} first={firstKind(group)} />
          </Part>
        </May>
        <May call="policies.replaceCredential">
          <Part title="Quick start">
            <QuickStart clientId={agent.clientId} group={group} />
          </Part>
        </May>
      </div>
    </div>
  )
}

function Part(props: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h4 className="font-medium text-small">{props.title}</h4>
      {props.hint && <p className="text-muted text-small">{props.hint}</p>}
      <div className="mt-2">{props.children}</div>
    </section>
  )
}
