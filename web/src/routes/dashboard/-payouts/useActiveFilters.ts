import { useQuery } from '@tanstack/react-query'
import { sameAddress } from '#domain/sameAddress.ts'
import { plural } from '#web/lib/format.ts'
import { activeFilters } from '#web/lists/activeFilters.ts'
import type { PayoutFilters } from '#web/queries/payouts.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'

/** The active filters as text. A single wallet is shown by its name. */
export function useActiveFilters(filters: PayoutFilters, apply: (filters: PayoutFilters) => void) {
  const { status, wallets: addresses, recipient } = filters
  const { data: wallets } = useQuery({ ...walletsQuery, enabled: Boolean(addresses) })
  const from = wallets?.find(({ address }) => sameAddress(addresses?.[0], address))
  const texts = {
    status: status && `Status: ${status.join(', ')}`,
    recipient: recipient && `Recipient: ${recipient}`,
    wallets:
      addresses &&
      (addresses.length === 1 && from ? `Wallet: ${walletName(from)}` : plural(addresses.length, 'wallet')),
  }
  return activeFilters(filters, texts, apply)
}
