import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CircleCheck, CircleDashed, X } from 'lucide-react'
import { useState } from 'react'
import { parseUsdc } from '../../../../../worker/domain/money.ts'
import type { Overview } from '../../../../../worker/schemas/transaction.ts'
import { IconButton } from '../../../components/Button.tsx'
import { Card } from '../../../components/Card.tsx'
import { canPay, walletsQuery } from '../../../queries/wallets.ts'

const dismissedKey = 'first_steps_dismissed'

type Step = { label: string; hint: string; done: boolean; link: Pick<LinkProps, 'to' | 'search'> }

/** What to do first, with what is done already. Goes away by itself when all is done. */
export function FirstSteps(props: { overview: Overview }) {
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(dismissedKey) === 'true')
  const steps = useSteps(props.overview)
  const done = steps.filter((step) => step.done).length
  if (dismissed || done === steps.length) return null
  return (
    <Card
      aria-labelledby="first-steps"
      className={clsx('p-5 lg:w-92 lg:shrink-0', props.overview.walletCount === 0 && 'max-lg:order-first')}
    >
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
          onClick={() => {
            localStorage.setItem(dismissedKey, 'true')
            setDismissed(true)
          }}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      <ol className="mt-2 -mx-2">
        {steps.map((step) => (
          <li key={step.label}>
            <Link {...step.link} className="flex items-start gap-3 rounded-control px-2 py-2 hover:bg-sunken">
              {step.done ? (
                <CircleCheck aria-label="Done:" className="mt-0.5 size-5 shrink-0 text-green" />
              ) : (
                <CircleDashed aria-label="To do:" className="mt-0.5 size-5 shrink-0 text-faint" />
              )}
              <span>
                <span className={step.done ? 'text-muted' : 'font-medium'}>{step.label}</span>
                {!step.done && <span className="block text-muted text-small">{step.hint}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function useSteps(overview: Overview): Step[] {
  const wallet = useQuery(walletsQuery).data?.find(canPay)
  const paid = overview.transactionCount > 0
  const funded = paid || (parseUsdc(overview.totalBalance ?? '0') ?? 0n) > 0n
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
      hint: 'Send USDC on Base to the wallet’s address.',
      done: funded,
      link: { to: wallets, search: wallet ? { receive: wallet.id } : {} },
    },
    {
      label: 'Create a policy group',
      hint: 'A budget, and whom agents may pay.',
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
      hint: 'To an address, or to an email as a claimable payout.',
      done: paid,
      link: { to: wallets, search: wallet ? { send: wallet.id } : {} },
    },
  ]
}
