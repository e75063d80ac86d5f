import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { payoutStatuses } from '#domain/lists.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { plural } from '#web/lib/format.ts'
import { addresses, anyOf, partsOf, personal, referenceFilter, text } from '#web/lists/filters.ts'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import { exportPayouts, type Payout, type PayoutParams, payoutsQuery } from '#web/queries/payouts.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'

const WalletsField = lazy(() => import('#web/lists/WalletsField.tsx'))

export const payoutList = {
  path: '/dashboard/payouts',
  name: 'Payouts',
  query: payoutsQuery,
  exportRows: exportPayouts,
  isDetailFromList: true,
  filters: {
    status: anyOf('Status', payoutStatuses),
    wallets: addresses({ useText: useWalletsText, field: { kind: 'custom', Field: WalletsField } }),
    recipient: personal(text('Recipient', { label: 'Recipient Email/Phone', maxLength: 254 })),
    reference: referenceFilter,
  },
} satisfies ListDefinition<Payout, PayoutParams>
export type PayoutList = typeof payoutList

/** The name of a single wallet, else their number. */
function useWalletsText(value: string) {
  const chosen = partsOf(value)
  const wallet = useQuery(walletsQuery).data?.find(({ address }) => sameAddress(chosen[0], address))
  return chosen.length === 1 && wallet ? `Wallet: ${walletName(wallet)}` : plural(chosen.length, 'wallet')
}
