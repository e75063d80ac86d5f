import { useQuery } from '@tanstack/react-query'
import { lazy, useDeferredValue, useMemo } from 'react'
import { type ListFigure, transactionStatuses } from '#domain/lists.ts'
import { paymentNotes } from '#domain/paymentNotes.ts'
import { Field, Select } from '#web/components/Field.tsx'
import { anyOf, type FilterFieldProps, id, noteFilters, oneOf, personal, text } from '#web/lists/filters.ts'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { contactQuery } from '#web/queries/contacts.ts'
import {
  exportTransactions,
  isMoving,
  type Transaction,
  type TransactionParams,
  transactionsQuery,
} from '#web/queries/transactions.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'

const ContactField = lazy(async () => {
  const { ContactPicker } = await import('#web/components/ContactPicker.tsx')
  return {
    default: ({ value, onChange }: FilterFieldProps) => (
      <ContactPicker optional value={value || undefined} onChange={(contact) => onChange(contact?.id ?? '')} />
    ),
  }
})

const figureNames: Record<ListFigure, string> = {
  payments: 'Payments',
  accepted: 'Payments, without refused ones',
  paid: 'Payments that were made',
  completed: 'Completed payments',
  ended: 'Completed and failed payments',
  failed_24h: 'Failed in the last 24 hours',
}

export const transactionList = {
  path: '/dashboard/transactions',
  name: 'Transactions',
  query: transactionsQuery,
  exportRows: exportTransactions,
  isMoving,
  filters: {
    status: anyOf('Status', transactionStatuses),
    type: oneOf('Type', 'All types', {
      ...{ payout: 'Payout', transfer: 'Transfer', x402: 'Purchase', deposit: 'Deposit', withdrawal: 'Withdrawal' },
    }),
    // Set by the figures of the overview.
    figure: {
      parse: (text) => (Object.hasOwn(figureNames, text) ? text : ''),
      useText: (figure) => figureNames[figure as ListFigure],
    },
    sender: id({ useText: useSenderText, field: { kind: 'custom', Field: SenderField, isHalf: true } }),
    contact: id({ useText: useContactText, field: { kind: 'custom', Field: ContactField } }),
    wallet: id({ useText: useWalletText }),
    recipient: personal(text('Recipient', { maxLength: 254, hint: 'Part of an email, phone number, address or name' })),
    memo: personal(text('Memo', { maxLength: paymentNotes.memo.max })),
    ...noteFilters,
  },
} satisfies ListDefinition<Transaction, TransactionParams>
export type TransactionList = typeof transactionList

function useSenderText(sender: string) {
  const { data: groups } = useQuery({ ...groupsQuery, enabled: sender !== 'user' })
  const agent = groups?.flatMap((group) => group.agents).find((one) => one.id === sender)
  return `Sender: ${sender === 'user' ? 'User' : (agent?.name ?? 'an agent')}`
}

function useContactText(contactId: string) {
  const { data: contact } = useQuery(contactQuery(contactId))
  return `Contact: ${contact?.name ?? 'unknown'}`
}

function useWalletText(walletId: string) {
  const wallet = useQuery(walletsQuery).data?.find((one) => one.id === walletId)
  return `Wallet: ${wallet ? walletName(wallet) : 'unknown'}`
}

const noGroups: PolicyGroupWithAgents[] = []

function SenderField({ value, onChange }: FilterFieldProps) {
  // There may be hundreds of agents, so the options are rendered once, after the dialog is painted.
  const groups = useDeferredValue(useQuery(groupsQuery).data ?? noGroups, noGroups)
  const agentOptions = useMemo(
    () =>
      groups.map(({ policyGroup, agents }) => (
        <optgroup key={policyGroup.id} label={policyGroup.name}>
          {agents.map((agent) => (
            <option key={agent.id} value={agent.id}>
              {agent.name}
            </option>
          ))}
        </optgroup>
      )),
    [groups],
  )
  return (
    <Field label="Sender">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">Everyone</option>
          <option value="user">User</option>
          {agentOptions}
        </Select>
      )}
    </Field>
  )
}
