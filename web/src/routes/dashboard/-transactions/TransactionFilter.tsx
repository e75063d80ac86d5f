import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, Input, Select } from '../../../components/Field.tsx'
import { Choices, FilterDialog } from '../../../lists/FilterDialog.tsx'
import { RangeFields } from '../../../lists/RangeFields.tsx'
import { rangeProblems } from '../../../lists/range.ts'
import { groupsQuery } from '../../../queries/agents.ts'
import { contactsQuery } from '../../../queries/contacts.ts'
import type { TransactionFilters } from '../../../queries/transactions.ts'

/** Edits a draft of the filters; they hold once they are applied. */
export default function TransactionFilter(props: {
  value: TransactionFilters
  onApply: (filters: TransactionFilters) => void
  onClose: () => void
}) {
  const [draft, setDraft] = useState(props.value)
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: contacts = [] } = useQuery(contactsQuery)
  const change = (part: { [Name in keyof TransactionFilters]?: TransactionFilters[Name] | undefined }) =>
    setDraft((before) => withoutEmpty({ ...before, ...part }))
  const { toProblem, maxProblem } = rangeProblems({ from: draft.from, to: draft.to, min: draft.min, max: draft.max })
  return (
    <FilterDialog
      title="Filter Transactions"
      invalid={Boolean(toProblem || maxProblem)}
      onReset={() => setDraft({})}
      onApply={() => props.onApply(draft)}
      onClose={props.onClose}
    >
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
            <Select {...control} value={draft.sender ?? ''} onChange={({ target }) => change({ sender: target.value })}>
              <option value="">Everyone</option>
              <option value="user">User</option>
              {groups.map(({ policyGroup, agents }) => (
                <optgroup key={policyGroup.id} label={policyGroup.name}>
                  {agents.map((agent) => (
                    <option key={agent.id} value={agent.id}>
                      {agent.name}
                    </option>
                  ))}
                </optgroup>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label="Contact">
        {(control) => (
          <Select {...control} value={draft.contact ?? ''} onChange={({ target }) => change({ contact: target.value })}>
            <option value="">All contacts</option>
            {contacts.map((contact) => (
              <option key={contact.id} value={contact.id}>
                {contact.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Recipient" hint="Part of an email, phone number, address or name">
        {(control) => (
          <Input
            {...control}
            value={draft.recipient ?? ''}
            maxLength={254}
            onChange={({ target }) => change({ recipient: target.value })}
          />
        )}
      </Field>
      <Field label="Memo">
        {(control) => (
          <Input
            {...control}
            value={draft.memo ?? ''}
            maxLength={100}
            onChange={({ target }) => change({ memo: target.value })}
          />
        )}
      </Field>
      <RangeFields value={draft} onChange={change} />
    </FilterDialog>
  )
}

/** Fields that say nothing are left out, so that equal filters are equal. */
const withoutEmpty = (draft: { [Name in keyof TransactionFilters]?: TransactionFilters[Name] | undefined }) =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value && value.length > 0)) as TransactionFilters
