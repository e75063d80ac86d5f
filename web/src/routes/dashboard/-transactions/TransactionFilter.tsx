import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { ContactPicker } from '#web/components/ContactPicker.tsx'
import { Field, Select } from '#web/components/Field.tsx'
import { FilterDialog } from '#web/lists/FilterDialog.tsx'
import { Choices, TextField } from '#web/lists/FilterFields.tsx'
import { groupsQuery, type PolicyGroupWithAgents } from '#web/queries/policyGroups.ts'
import type { TransactionFilters } from '#web/queries/transactions.ts'

const noGroups: PolicyGroupWithAgents[] = []

export default function TransactionFilter(props: {
  value: TransactionFilters
  onApply: (filters: TransactionFilters) => void
  onClose: () => void
}) {
  // There may be hundreds of agents, so the options are rendered once, after the dialog is painted.
  const groups = useDeferredValue(useQuery(groupsQuery).data ?? noGroups, noGroups)
  const agentOptions = useMemo(() => <AgentOptions groups={groups} />, [groups])
  return (
    <FilterDialog title="Filter Transactions" {...props}>
      {(draft, change) => (
        <>
          <Choices
            legend="Status"
            options={[
              ['completed', 'Completed'],
              ['failed', 'Failed'],
              ['pending', 'Pending'],
            ]}
            value={draft.status ?? []}
            onChange={(status) => change({ status })}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Type">
              {(control) => (
                <Select
                  {...control}
                  value={draft.type ?? ''}
                  onChange={({ target }) => change({ type: (target.value || undefined) as TransactionFilters['type'] })}
                >
                  <option value="">All types</option>
                  <option value="payout">Payout</option>
                  <option value="transfer">Transfer</option>
                </Select>
              )}
            </Field>
            <Field label="Sender">
              {(control) => (
                <Select
                  {...control}
                  value={draft.sender ?? ''}
                  onChange={({ target }) => change({ sender: target.value })}
                >
                  <option value="">Everyone</option>
                  <option value="user">User</option>
                  {agentOptions}
                </Select>
              )}
            </Field>
          </div>
          <ContactPicker optional value={draft.contact} onChange={(contact) => change({ contact: contact?.id })} />
          <TextField
            label="Recipient"
            hint="Part of an email, phone number, address or name"
            value={draft.recipient}
            maxLength={254}
            onChange={(recipient) => change({ recipient })}
          />
          <TextField label="Memo" value={draft.memo} maxLength={100} onChange={(memo) => change({ memo })} />
        </>
      )}
    </FilterDialog>
  )
}

const AgentOptions = (props: { groups: PolicyGroupWithAgents[] }) =>
  props.groups.map(({ policyGroup, agents }) => (
    <optgroup key={policyGroup.id} label={policyGroup.name}>
      {agents.map((agent) => (
        <option key={agent.id} value={agent.id}>
          {agent.name}
        </option>
      ))}
    </optgroup>
  ))
