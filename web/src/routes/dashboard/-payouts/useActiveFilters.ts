import { useQuery } from '@tanstack/react-query'
import { plural } from '../../../lib/format.ts'
import type { ActiveFilter } from '../../../lists/FilterBar.tsx'
import { amountsText, daysText } from '../../../lists/range.ts'
import type { PayoutFilters } from '../../../queries/payouts.ts'
import { walletName, walletsQuery } from '../../../queries/wallets.ts'

/** The filters that are set, each group once, in words. */
export function useActiveFilters(filters: PayoutFilters, apply: (filters: PayoutFilters) => void): ActiveFilter[] {
  const { status, wallets: addresses, recipient } = filters
  const { data: wallets } = useQuery({ ...walletsQuery, enabled: Boolean(addresses) })
  const without =
    (...keys: (keyof PayoutFilters)[]) =>
    () =>
      apply(Object.fromEntries(Object.entries(filters).filter(([key]) => !keys.includes(key as keyof PayoutFilters))))
  const from = wallets?.find(({ address }) => address.toLowerCase() === addresses?.[0]?.toLowerCase())
  const days = daysText(filters)
  const amounts = amountsText(filters)
  return [
    status && { key: 'status', text: `Status: ${status.join(', ')}`, remove: without('status') },
    recipient && { key: 'recipient', text: `Recipient: ${recipient}`, remove: without('recipient') },
    addresses && {
      key: 'wallets',
      text: addresses.length === 1 && from ? `Wallet: ${walletName(from)}` : plural(addresses.length, 'wallet'),
      remove: without('wallets'),
    },
    days && { key: 'days', text: days, remove: without('from', 'to') },
    amounts && { key: 'amounts', text: amounts, remove: without('min', 'max') },
  ].filter((one): one is ActiveFilter => Boolean(one))
}
