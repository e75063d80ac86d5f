import { useQuery } from '@tanstack/react-query'
import { activeFilters } from '#web/lists/activeFilters.ts'
import { contactsQuery } from '#web/queries/contacts.ts'
import { groupsQuery } from '#web/queries/policyGroups.ts'
import type { TransactionFilters } from '#web/queries/transactions.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'

const upper = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase())

/** The active filters as text. Names are loaded only if a filter needs one. */
export function useActiveFilters(filters: TransactionFilters, apply: (filters: TransactionFilters) => void) {
  const { type, status, sender, contact, wallet, recipient, memo } = filters
  const { data: groups } = useQuery({ ...groupsQuery, enabled: Boolean(sender) && sender !== 'user' })
  const { data: contacts } = useQuery({ ...contactsQuery, enabled: Boolean(contact) })
  const { data: wallets } = useQuery({ ...walletsQuery, enabled: Boolean(wallet) })
  const agent = groups?.flatMap((group) => group.agents).find(({ id }) => id === sender)
  const person = contacts?.find(({ id }) => id === contact)
  const from = wallets?.find(({ id }) => id === wallet)
  const texts = {
    status: status && `Status: ${status.map(upper).join(', ')}`,
    type: type && `Type: ${upper(type)}`,
    sender: sender && `Sender: ${sender === 'user' ? 'User' : (agent?.name ?? 'an agent')}`,
    contact: contact && `Contact: ${person?.name ?? 'unknown'}`,
    wallet: wallet && `Wallet: ${from ? walletName(from) : 'unknown'}`,
    recipient: recipient && `Recipient: ${recipient}`,
    memo: memo && `Memo: ${memo}`,
  }
  return activeFilters(filters, texts, apply)
}
