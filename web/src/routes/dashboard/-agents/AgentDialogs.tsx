import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { MoneyChain } from '#web/components/Amount.tsx'
import { type PolicyGroup, type PolicyGroupWithAgents, refreshGroups } from '#web/queries/agents.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import type { Credentials } from './CredentialsDialog.tsx'
import type { Dialogs } from './dialogs.ts'
import { subjectOf } from './pausing.tsx'

const NewGroupDialog = lazy(async () => ({ default: (await import('./GroupDialogs.tsx')).NewGroupDialog }))
const EditGroupDialog = lazy(async () => ({ default: (await import('./GroupDialogs.tsx')).EditGroupDialog }))
const DeleteGroupDialog = lazy(async () => ({ default: (await import('./GroupDialogs.tsx')).DeleteGroupDialog }))
const TopUpDialog = lazy(() => import('#web/components/TopUpDialog.tsx'))
const ConfirmContactDialog = lazy(async () => ({
  default: (await import('./WhitelistDialogs.tsx')).ConfirmContactDialog,
}))
const WhitelistDialog = lazy(async () => ({ default: (await import('./WhitelistDialogs.tsx')).WhitelistDialog }))
const NewAgentDialog = lazy(async () => ({ default: (await import('./AgentForms.tsx')).NewAgentDialog }))
const EditAgentDialog = lazy(async () => ({ default: (await import('./AgentForms.tsx')).EditAgentDialog }))
const DeleteAgentDialog = lazy(async () => ({ default: (await import('./AgentForms.tsx')).DeleteAgentDialog }))
const RegenerateDialog = lazy(async () => ({ default: (await import('./AgentForms.tsx')).RegenerateDialog }))
const CredentialsDialog = lazy(() => import('./CredentialsDialog.tsx'))
const TryPaymentDialog = lazy(async () => ({ default: (await import('./TryPayment.tsx')).TryPaymentDialog }))
const SessionDialog = lazy(() => import('../-wallets/session/SessionDialog.tsx'))
const PauseDialog = lazy(() => import('./PauseDialog.tsx'))

type Shown = { credentials: Credentials; note?: string; group?: PolicyGroup | undefined }

/** The dialog that the page's search parameters open. */
export default function AgentDialogs(props: {
  search: Dialogs
  groups: PolicyGroupWithAgents[] | undefined
  selected: PolicyGroupWithAgents | undefined
  close: () => void
  /** Closes the dialog and selects a group and one of its agents, or nothing. Another dialog may follow. */
  show: (groupId: string | undefined, agentId?: string, dialog?: Dialogs) => void
}) {
  const { search, groups, selected, close, show } = props
  // Secrets are kept in this state only, until the dialog closes.
  const [shown, setShown] = useState<Shown | null>(null)
  const group = selected?.policyGroup
  const wallets = useQuery({ ...walletsQuery, enabled: search.purchases !== undefined }).data
  const wallet = wallets?.find(({ id }) => id === search.purchases)
  const agentBy = (id: string | undefined) => selected?.agents.find((agent) => agent.id === id)
  const tried = agentBy(search.tryPayment)
  const edited = agentBy(search.editAgent)
  const deleted = agentBy(search.deleteAgent)
  const regenerated = agentBy(search.regenerateKey ?? search.regenerateCredentials)
  const paused = search.pause && selected ? subjectOf(search.pause, selected) : undefined

  if (shown)
    return (
      <Suspense>
        <CredentialsDialog
          {...shown}
          onClose={() => {
            setShown(null)
            refreshGroups()
          }}
        />
      </Suspense>
    )
  return (
    <MoneyChain value={group?.wallet?.chain}>
      <Suspense>
        {search.newGroup && <NewGroupDialog onClose={close} onCreated={({ id }, next) => show(id, undefined, next)} />}
        {search.newAgent && groups && (
          <NewAgentDialog
            groups={groups}
            groupId={group?.id}
            onClose={close}
            onCreated={({ agent, shownOnce: _, ...credentials }) => {
              const of = groups.find(({ policyGroup }) => policyGroup.id === agent.policyGroupId)
              setShown({ credentials: { agent, ...credentials }, group: of?.policyGroup })
              show(agent.policyGroupId, agent.id)
              refreshGroups()
            }}
          />
        )}
        {selected && search.editGroup && (
          <EditGroupDialog
            key={selected.policyGroup.id}
            group={selected}
            onClose={close}
            onPurchases={(next) => show(selected.policyGroup.id, undefined, next)}
          />
        )}
        {group && tried && <TryPaymentDialog key={tried.id} group={group} agents={[tried]} onClose={close} />}
        {group && search.topUp && <TopUpDialog key={group.id} group={group} onClose={close} />}
        {selected && search.deleteGroup && (
          <DeleteGroupDialog group={selected} onClose={close} onDeleted={() => show(undefined)} />
        )}
        {group && search.confirmContact && (
          <ConfirmContactDialog
            key={`${group.id} ${search.confirmContact}`}
            group={group}
            contactId={search.confirmContact}
            onClose={close}
          />
        )}
        {group && search.whitelist && (
          <WhitelistDialog
            key={`${group.id} ${search.whitelist}`}
            group={group}
            contactId={search.whitelist}
            onClose={close}
          />
        )}
        {edited && <EditAgentDialog key={edited.id} agent={edited} onClose={close} />}
        {deleted && <DeleteAgentDialog agent={deleted} onClose={close} />}
        {regenerated && (
          <RegenerateDialog
            key={regenerated.id}
            agent={regenerated}
            kind={search.regenerateKey ? 'key' : 'credentials'}
            onClose={close}
            onDone={({ note, ...credentials }) => {
              setShown({ credentials, note })
              close()
            }}
          />
        )}
        {wallet && <SessionDialog key={wallet.id} wallet={wallet} isForPurchases onClose={close} />}
        {paused && <PauseDialog subject={paused} onClose={close} />}
      </Suspense>
    </MoneyChain>
  )
}
