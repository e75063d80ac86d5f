import { useQuery } from '@tanstack/react-query'
import { lazy, useDeferredValue, useMemo } from 'react'
import { transactionStatuses } from '#domain/listFilters.ts'
import { paymentNotes } from '#domain/paymentNotes.ts'
import { Amount } from '#web/components/Amount.tsx'
import { CompactRow, DetailsLink } from '#web/components/DataTable.tsx'
import { Field, Select } from '#web/components/Field.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { Ago, Time } from '#web/components/Time.tsx'
import { Counterparty, TransactionStatus, TransactionStatusChip } from '#web/components/TransactionParts.tsx'
import { unitOf } from '#web/lib/networks.ts'
import { anyOf, type FilterFieldProps, id, oneOf, personal, referenceFilter, text } from '#web/lists/filters.ts'
import type { ShownRows } from '#web/lists/PagedCard.tsx'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import { groupsQuery, type PolicyGroupWithAgents } from '#web/queries/agents.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import {
  awaitsApproval,
  categoryLabel,
  exportTransactions,
  payoutState,
  senderOf,
  type Transaction,
  type TransactionParams,
  transactionsQuery,
} from '#web/queries/transactions.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'
import { reasonOf } from '../-agents/rules.tsx'

const ContactField = lazy(async () => {
  const { ContactPicker } = await import('#web/components/ContactPicker.tsx')
  return {
    default: ({ value, onChange }: FilterFieldProps) => (
      <ContactPicker optional value={value || undefined} onChange={(contact) => onChange(contact?.id ?? '')} />
    ),
  }
})

export const transactionList = {
  path: '/dashboard/transactions',
  name: 'Transactions',
  query: transactionsQuery,
  exportRows: exportTransactions,
  filters: {
    status: anyOf('Status', transactionStatuses),
    type: oneOf('Type', 'All types', { payout: 'Payout', transfer: 'Transfer' }),
    sender: id({ useText: useSenderText, field: { kind: 'custom', Field: SenderField, isHalf: true } }),
    contact: id({ useText: useContactText, field: { kind: 'custom', Field: ContactField } }),
    wallet: id({ useText: useWalletText }),
    recipient: personal(text('Recipient', { maxLength: 254, hint: 'Part of an email, phone number, address or name' })),
    memo: personal(text('Memo', { maxLength: paymentNotes.memo.max })),
    reference: referenceFilter,
  },
} satisfies ListDefinition<Transaction, TransactionParams>
export type TransactionList = typeof transactionList

function useSenderText(sender: string) {
  const { data: groups } = useQuery({ ...groupsQuery, enabled: sender !== 'user' })
  const agent = groups?.flatMap((group) => group.agents).find((one) => one.id === sender)
  return `Sender: ${sender === 'user' ? 'User' : (agent?.name ?? 'an agent')}`
}

function useContactText(contactId: string) {
  const contact = useQuery(contactsQuery).data?.find((one) => one.id === contactId)
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

const labelOf = (transaction: Transaction) =>
  `View details of ${categoryLabel(transaction)}, ${transaction.amountUsdc} ${unitOf(transaction.fromWalletChain)}`

const amountOf = (transaction: Transaction) => (
  <Amount value={transaction.amountUsdc} chain={transaction.fromWalletChain} />
)

/** `hrefOf` returns the link to a transaction's details. */
export const rowsWith = (hrefOf: (transactionId: string) => string): ShownRows<Transaction> => ({
  columns: [
    {
      header: 'Date',
      sorts: { falling: 'newest', rising: 'oldest' },
      cell: (transaction) => <Time iso={transaction.createdAt} />,
    },
    {
      header: 'Type',
      cell: (transaction) => (
        <>
          {categoryLabel(transaction)}
          <p className="wrap-anywhere text-muted lg:hidden">by {senderOf(transaction)}</p>
        </>
      ),
    },
    {
      header: 'Sender',
      wideOnly: true,
      cell: (transaction) => <span className="wrap-anywhere">{senderOf(transaction)}</span>,
    },
    {
      header: 'Recipient',
      cell: (transaction) => (
        <>
          <Counterparty transaction={transaction} />
          <p className="line-clamp-1 max-w-64 wrap-anywhere text-muted empty:hidden">{notesLine(transaction)}</p>
        </>
      ),
    },
    { header: 'Amount', align: 'right', sorts: { falling: 'largest', rising: 'smallest' }, cell: amountOf },
    {
      header: 'Status',
      cell: (transaction) => <TransactionStatus transaction={transaction} reason={reasonOf(transaction)} />,
    },
    {
      header: 'Actions',
      align: 'right',
      cell: (transaction) => <DetailsLink href={hrefOf(transaction.id)} label={labelOf(transaction)} />,
    },
  ],
  compact: (transaction) => (
    <CompactRow
      href={hrefOf(transaction.id)}
      label={labelOf(transaction)}
      title={<Counterparty transaction={transaction} />}
      amount={amountOf(transaction)}
      notes={[
        <Ago key="at" iso={transaction.createdAt} />,
        awaitsApproval(transaction) ? 'Awaiting approval' : (payoutState(transaction) ?? reasonOf(transaction)),
        senderOf(transaction),
        notesLine(transaction),
      ]}
      state={<TransactionStatusChip transaction={transaction} />}
    />
  ),
})
