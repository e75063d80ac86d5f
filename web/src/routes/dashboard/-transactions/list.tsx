import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { type Answer, answers } from '#domain/answers.ts'
import { type FigureName, figures } from '#domain/figures.ts'
import { paymentNotes } from '#domain/paymentNotes.ts'
import { parseUtcDays } from '#domain/utcDays.ts'
import { useCounterpartyName } from '#web/components/TransactionParts.tsx'
import { anyOf, type FilterFieldProps, id, network, noteFilters, oneOf, personal, text } from '#web/lists/filters.ts'
import { utcDaysText } from '#web/lists/range.ts'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import { groupsQuery } from '#web/queries/agents.ts'
import { answerNames } from '#web/queries/answers.ts'
import { contactQuery } from '#web/queries/contacts.ts'
import {
  exportTransactions,
  isMoving,
  outsideBursar,
  type Transaction,
  type TransactionParams,
  transactionQuery,
  transactionStatusNames,
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

const fields = () => import('./FilterFields.tsx')
const SenderField = lazy(async () => ({ default: (await fields()).SenderField }))
const WalletField = lazy(async () => ({ default: (await fields()).WalletField }))
const GroupField = lazy(async () => ({ default: (await fields()).GroupField }))

export const transactionList = {
  path: '/dashboard/transactions',
  name: 'Transactions',
  query: transactionsQuery,
  exportRows: exportTransactions,
  isMoving,
  filters: {
    status: anyOf('Status', transactionStatusNames),
    type: oneOf('Type', 'All types', {
      ...{ payout: 'Payout', transfer: 'Transfer', x402: 'Purchase', deposit: 'Deposit', withdrawal: 'Withdrawal' },
    }),
    // These are set by links of figures.
    figure: {
      parse: (text) => (Object.hasOwn(figures, text) ? text : ''),
      useText: (figure) => figures[figure as FigureName].name,
    },
    spent: { parse: (text) => (parseUtcDays(text) ? text : ''), useText: (text) => `Spent ${utcDaysText(text)}` },
    recipientOf: id({ useText: useRecipientText }),
    seller: { parse: (text) => text.slice(0, 260), useText: (host) => `Seller: ${host}` },
    requested: {
      parse: (text) => (parseUtcDays(text) ? text : ''),
      useText: (text) => `Requested ${utcDaysText(text)}`,
    },
    answer: {
      parse: (text) => answers.find((one) => one === text) ?? '',
      useText: (one) => answerNames[one as Answer],
    },
    rules: { parse: (text) => text.slice(0, 500), useText: useRulesText },
    network,
    sender: id({ useText: useSenderText, field: { kind: 'custom', Field: SenderField } }),
    wallet: id({ useText: useWalletText, field: { kind: 'custom', Field: WalletField, isHalf: true } }),
    group: id({ useText: useGroupText, field: { kind: 'custom', Field: GroupField, isHalf: true } }),
    run: id({ useText: () => 'Of one payout run' }),
    contact: id({ useText: useContactText, field: { kind: 'custom', Field: ContactField } }),
    recipient: personal(text('Recipient', { maxLength: 254, hint: 'Part of an email, phone number, address or name' })),
    memo: personal(text('Memo', { maxLength: paymentNotes.memo.max })),
    ...noteFilters,
  },
} satisfies ListDefinition<Transaction, TransactionParams>
export type TransactionList = typeof transactionList

function useSenderText(sender: string) {
  const { data: groups } = useQuery({ ...groupsQuery, enabled: sender !== 'user' && sender !== 'outside' })
  const agent = groups?.flatMap((group) => group.agents).find((one) => one.id === sender)
  const name = sender === 'user' ? 'User' : sender === 'outside' ? outsideBursar : (agent?.name ?? 'an agent')
  return `Sender: ${name}`
}

function useGroupText(groupId: string) {
  const group = useQuery(groupsQuery).data?.find(({ policyGroup }) => policyGroup.id === groupId)?.policyGroup
  return `Policy group: ${group?.name ?? 'deleted'}`
}

function useRecipientText(paymentId: string) {
  const { data: payment } = useQuery(transactionQuery(paymentId))
  const known = useCounterpartyName(payment)
  return `Recipient: ${known ?? 'that of one payment'}`
}

/** The names of rules load with the first filter that has one. */
function useRulesText(rules: string) {
  const { data } = useQuery({
    queryKey: ['ruleNames', rules],
    queryFn: async () => {
      const { ruleOf } = await import('../-agents/ruleNames.ts')
      return rules.split(',').map((rule) => ruleOf(rule).name)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return `Rule: ${data?.join(', ') ?? rules}`
}

function useContactText(contactId: string) {
  const { data: contact } = useQuery(contactQuery(contactId))
  return `Contact: ${contact?.name ?? 'unknown'}`
}

function useWalletText(walletId: string) {
  const wallet = useQuery(walletsQuery).data?.find((one) => one.id === walletId)
  return `Wallet: ${wallet ? walletName(wallet) : 'unknown'}`
}
