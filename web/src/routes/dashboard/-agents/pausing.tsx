import { useMutation } from '@tanstack/react-query'
import { CirclePause } from 'lucide-react'
import type { ReactNode } from 'react'
import { toast } from 'react-hot-toast/headless'
import { Button } from '#web/components/Button.tsx'
import { May } from '#web/components/May.tsx'
import { messageOf } from '#web/lib/apiError.ts'
import { type PauseSubject, type PolicyGroupWithAgents, setPaused } from '#web/queries/agents.ts'
import { walletName } from '#web/queries/wallets.ts'

/** Says what is paused, with a button to resume it. */
export function PausedNotice(props: { subject: PauseSubject; className?: string; children: ReactNode }) {
  const resume = useResume()
  return (
    <div
      role="status"
      className={`flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control bg-amber-tint px-4 py-2 ${props.className ?? ''}`}
    >
      <p className="flex items-center gap-2">
        <CirclePause aria-hidden="true" className="size-5 shrink-0 text-amber" />
        {props.children}
      </p>
      <May call="policies.resume">
        <Button look="secondary" busy={resume.isPending} onClick={() => resume.mutate(props.subject)}>
          Resume
        </Button>
      </May>
    </div>
  )
}

/** Resumes something paused. Needs no confirmation, since nothing is lost. */
export const useResume = () =>
  useMutation({
    mutationFn: (subject: PauseSubject) => setPaused(subject, false),
    onSuccess: (_, { name, kind }) =>
      toast.success(`${sentence(name)} ${kind === 'account' ? 'were' : 'was'} resumed.`),
    onError: (error, { name }) => toast.error(messageOf(error, `Failed to resume ${name}. Please try again.`)),
  })

/** 'all agents' → 'All agents', at the start of a sentence. Names keep their case. */
export const sentence = (text: string) => text.replace(/^all agents$/, 'All agents')

export const account: PauseSubject = { kind: 'account', id: '', name: 'all agents' }

/** What the search parameter `pause` names: the account, the selected group or its wallet, or an agent by its id. */
export function subjectOf(what: string, group: PolicyGroupWithAgents): PauseSubject | undefined {
  const { policyGroup, agents } = group
  const { wallet } = policyGroup
  switch (what) {
    case 'account':
      return account
    case 'group':
      return { kind: 'group', id: policyGroup.id, name: policyGroup.name }
    case 'wallet':
      return wallet ? { kind: 'wallet', id: policyGroup.walletId, name: walletName(wallet) } : undefined
    default: {
      const agent = agents.find(({ id }) => id === what)
      return agent && { kind: 'agent', id: agent.id, name: agent.name }
    }
  }
}
