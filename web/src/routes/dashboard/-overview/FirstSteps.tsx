import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import type { Overview } from '#schemas/overview.ts'
import { IconButton } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { preferencesQuery, savePreferences } from '#web/queries/overview.ts'

type Step = { label: string; hint: string; done: boolean; link: Pick<LinkProps, 'to' | 'search'> }

/** A checklist of first steps. Disappears once all are done. */
export function FirstSteps(props: { overview: Overview }) {
  const preferences = useQuery(preferencesQuery).data
  const steps = stepsOf(props.overview)
  const done = steps.filter((step) => step.done).length
  if (!preferences || preferences.firstStepsDismissed || done === steps.length) return null
  return (
    <Card aria-labelledby="first-steps" className="mb-4 p-5">
      <div className="flex items-start justify-between gap-2">
        <div>
          <h2 id="first-steps" className="font-semibold">
            First steps
          </h2>
          <p className="text-muted text-small">
            {done} of {steps.length} done
          </p>
        </div>
        <IconButton
          label="Dismiss first steps"
          className="-mt-1 -mr-2"
          onClick={() =>
            savePreferences({ firstStepsDismissed: true }).catch(() => {
              // It stays dismissed on this page, and may harmlessly reappear later.
            })
          }
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      <ol className="-mx-2 mt-2 grid sm:grid-cols-2 lg:grid-cols-5">
        {steps.map((step) => (
          <li key={step.label}>
            <Link {...step.link} className="flex items-start gap-3 rounded-control px-2 py-2 hover:bg-sunken">
              {step.done ? (
                <CircleCheck aria-label="Done:" className="mt-0.5 size-5 shrink-0 text-green" />
              ) : (
                <CircleDashed aria-label="To do:" className="mt-0.5 size-5 shrink-0 text-faint" />
              )}
              <span>
                <span
                  className={clsx('underline underline-offset-3', step.done ? 'text-muted' : 'font-medium text-green')}
                >
                  {step.label}
                </span>
                {!step.done && <span className="block text-muted text-small">{step.hint}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function stepsOf(overview: Overview): Step[] {
  const agent = overview.activeAgents[0]
  const wallet = overview.payingWalletId
  const paid = overview.transactionCount > overview.failed // failed and refused ones do not count
  const funded = paid || microOf(overview.totalBalance) > 0n
  const wallets = '/dashboard/wallets'
  const agents = '/dashboard/agents'
  return [
    {
      label: 'Create a wallet',
      hint: 'You keep the owner key; agents spend within its limit.',
      done: overview.walletCount > 0,
      link: { to: wallets, search: { deploy: true } },
    },
    {
      label: 'Add funds',
      hint: 'Buy USDC with a card.',
      done: funded,
      link: { to: wallets, search: wallet ? { addFunds: wallet } : {} },
    },
    {
      label: 'Create a policy group',
      hint: 'A budget, and who may be paid.',
      done: overview.groupCount > 0,
      link: { to: agents, search: { newGroup: true } },
    },
    {
      label: 'Create an agent',
      hint: 'It gets credentials and spends under the group’s policy.',
      done: overview.agentCount > 0,
      link: { to: agents, search: overview.groupCount > 0 ? { newAgent: true } : { newGroup: true } },
    },
    {
      label: 'Make your first payment',
      hint: agent ? 'Your agent’s quick start shows the call.' : 'To an address, or to an email as a claimable payout.',
      done: paid,
      link: agent
        ? { to: agents, search: { group: agent.policyGroupId, agent: agent.id } }
        : { to: wallets, search: wallet ? { send: wallet } : {} },
    },
  ]
}
