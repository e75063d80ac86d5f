import { useQuery } from '@tanstack/react-query'
import type { ActiveFilter } from '../../../lists/FilterBar.tsx'
import { amountsText, daysText } from '../../../lists/range.ts'
import { groupsQuery } from '../../../queries/agents.ts'
import { contactsQuery } from '../../../queries/contacts.ts'
import type { TransactionFilters } from '../../../queries/transactions.ts'
import { walletName, walletsQuery } from '../../../queries/wallets.ts'

const upper = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase())

/** The filters that are set, each group once, in words; names are looked up only where one is needed. */
export function useActiveFilters(
  filters: TransactionFilters,
  apply: (filters: TransactionFilters) => void,
): ActiveFilter[] {
  const { type, status, sender, contact, wallet, recipient, memo } = filters
  const { data: groups } = useQuery({ ...groupsQuery, enabled: Boolean(sender) && sender !== 'user' })
  const { data: contacts } = useQuery({ ...contactsQuery, enabled: Boolean(contact) })
  const { data: wallets } = useQuery({ ...walletsQuery, enabled: Boolean(wallet) })

  const without =
    (...keys: (keyof TransactionFilters)[]) =>
    () =>
      apply(
        Object.fromEntries(Object.entries(filters).filter(([key]) => !keys.includes(key as keyof TransactionFilters))),
      )
  const agent = groups?.flatMap((group) => group.agents).find(({ id }) => id === sender)
  const person = contacts?.find(({ id }) => id === contact)
  const from = wallets?.find(({ id }) => id === wallet)
  const days = daysText(filters)
  const amounts = amountsText(filters)
  return [
    status && { key: 'status', text: `Status: ${status.map(upper).join(', ')}`, remove: without('status') },
    type && { key: 'type', text: `Type: ${upper(type)}`, remove: without('type') },
    sender && {
      key: 'sender',
      text: `Sender: ${sender === 'user' ? 'User' : (agent?.name ?? 'an agent')}`,
      remove: without('sender'),
    },
    contact && { key: 'contact', text: `Contact: ${person?.name ?? 'a former one'}`, remove: without('contact') },
    wallet && { key: 'wallet', text: `Wallet: ${from ? walletName(from) : 'a former one'}`, remove: without('wallet') },
    recipient && { key: 'recipient', text: `Recipient: ${recipient}`, remove: without('recipient') },
    memo && { key: 'memo', text: `Memo: ${memo}`, remove: without('memo') },
    days && { key: 'days', text: days, remove: without('from', 'to') },
    amounts && { key: 'amounts', text: amounts, remove: without('min', 'max') },
  ].filter((one): one is ActiveFilter => Boolean(one))
}
