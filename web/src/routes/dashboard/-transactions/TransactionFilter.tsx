import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { Field, Select } from '../../../components/Field.tsx'
import { FilterDialog } from '../../../lists/FilterDialog.tsx'
import { Choices, TextField } from '../../../lists/FilterFields.tsx'
import { type Contact, contactsQuery } from '../../../queries/contacts.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '../../../queries/policyGroups.ts'
import type { TransactionFilters } from '../../../queries/transactions.ts'

const noGroups: PolicyGroupWithAgents[] = []
const noContacts: Contact[] = []

export default function TransactionFilter(props: {
  value: TransactionFilters
  onApply: (filters: TransactionFilters) => void
  onClose: () => void
}) {
  // There may be hundreds of both: rendered once, after the dialog is painted.
  const groups = useDeferredValue(useQuery(groupsQuery).data ?? noGroups, noGroups)
  const contacts = useDeferredValue(useQuery(contactsQuery).data ?? noContacts, noContacts)
  const agentOptions = useMemo(() => <AgentOptions groups={groups} />, [groups])
  const contactOptions = useMemo(() => <ContactOptions contacts={contacts} />, [contacts])
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
          <Field label="Contact">
            {(control) => (
              <Select
                {...control}
                value={draft.contact ?? ''}
                onChange={({ target }) => change({ contact: target.value })}
              >
                <option value="">All contacts</option>
                {contactOptions}
              </Select>
            )}
          </Field>
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

const ContactOptions = (props: { contacts: Contact[] }) =>
  props.contacts.map((contact) => (
    <option key={contact.id} value={contact.id}>
      {contact.name}
    </option>
  ))
