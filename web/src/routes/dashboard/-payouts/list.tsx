import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { lazy } from 'react'
import { sameAddress } from '#domain/sameAddress.ts'
import { Amount } from '#web/components/Amount.tsx'
import { Chip, Tick } from '#web/components/Chip.tsx'
import { CompactRow, DetailsLink } from '#web/components/DataTable.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { RowTime } from '#web/components/Time.tsx'
import { formatAmount, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { addresses, anyOf, network, noteFilters, partsOf, personal, text } from '#web/lists/filters.ts'
import type { ShownRows } from '#web/lists/PagedCard.tsx'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import {
  canReclaim,
  deliveryText,
  exportPayouts,
  isMoving,
  isTakenDown,
  isUndelivered,
  type Payout,
  type PayoutParams,
  payoutStatusNames,
  payoutsQuery,
  payoutTone,
  recipientOf,
} from '#web/queries/payouts.ts'
import { walletName, walletsQuery } from '#web/queries/wallets.ts'

const WalletsField = lazy(() => import('#web/lists/WalletsField.tsx'))

export const payoutList = {
  path: '/dashboard/payouts',
  name: 'Payouts',
  query: payoutsQuery,
  exportRows: exportPayouts,
  isMoving,
  isDetailFromList: true,
  filters: {
    status: anyOf('Status', payoutStatusNames),
    network,
    wallets: addresses({ useText: useWalletsText, field: { kind: 'custom', Field: WalletsField } }),
    recipient: personal(text('Recipient', { label: 'Recipient Email/Phone', maxLength: 254 })),
    ...noteFilters,
  },
} satisfies ListDefinition<Payout, PayoutParams>
export type PayoutList = typeof payoutList

/** The name of a single wallet, else their number. */
function useWalletsText(value: string) {
  const chosen = partsOf(value)
  const wallet = useQuery(walletsQuery).data?.find(({ address }) => sameAddress(chosen[0], address))
  return chosen.length === 1 && wallet ? `Wallet: ${walletName(wallet)}` : plural(chosen.length, 'wallet')
}

type Acts = {
  /** The link to a payout's details. */
  hrefOf: (payoutId: string) => string
  /** Null for those who may not. */
  onReclaim: ((payout: Payout) => void) | null
}

/** Part of the accessible names, so that buttons of different rows can be distinguished. */
const nameOf = (payout: Payout) =>
  `${formatAmount(payout.amount)} ${unitOf(payout.sourceWallet?.chain ?? 'base')} to ${recipientOf(payout)}`
const labelOf = (payout: Payout) => `View details of ${nameOf(payout)}`
const amountOf = (payout: Payout) => <Amount value={payout.amount} chain={payout.sourceWallet?.chain} />
const problemOf = (payout: Payout) =>
  isTakenDown(payout) ? (
    <span className="text-amber text-small">Link taken down</span>
  ) : payout.delivery && isUndelivered(payout) ? (
    <span className="text-amber text-small">{deliveryText(payout.delivery)}</span>
  ) : null

export const rowsWith = ({ hrefOf, onReclaim }: Acts): ShownRows<Payout> => ({
  columns: [
    {
      header: 'Date',
      sorts: { falling: 'newest', rising: 'oldest' },
      cell: (payout) => <RowTime iso={payout.createdAt} />,
    },
    {
      header: 'Recipient',
      cell: (payout) => (
        <>
          <span className="wrap-anywhere">{recipientOf(payout)}</span>
          <p className="empty:hidden">{problemOf(payout)}</p>
          <p className="line-clamp-1 max-w-72 wrap-anywhere text-muted empty:hidden">{notesLine(payout)}</p>
        </>
      ),
    },
    { header: 'Amount', align: 'right', sorts: { falling: 'largest', rising: 'smallest' }, cell: amountOf },
    { header: 'Status', cell: (payout) => <PayoutStatusChip payout={payout} /> },
    {
      header: 'Actions',
      align: 'right',
      cell: (payout) => (
        <span className="inline-flex gap-1">
          <DetailsLink href={hrefOf(payout.id)} label={labelOf(payout)} />
          {onReclaim && canReclaim(payout) && (
            <IconButton
              ref={keepFocus}
              label="Reclaim funds"
              aria-label={`Reclaim funds of ${nameOf(payout)}`}
              onClick={() => onReclaim(payout)}
            >
              <Undo2 aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </span>
      ),
    },
  ],
  // "Reclaim funds" is in the payout's details.
  compact: (payout) => (
    <CompactRow
      href={hrefOf(payout.id)}
      label={labelOf(payout)}
      title={recipientOf(payout)}
      amount={amountOf(payout)}
      notes={[problemOf(payout), notesLine(payout)]}
      time={<RowTime iso={payout.createdAt} />}
      isDone={payout.status === 'WITHDRAWN'}
      state={<PayoutStatusChip payout={payout} />}
    />
  ),
})

/** A payout's status; its tooltip says whether a claim or reclaim is in progress. `inWords` shows the word of a tick. */
export function PayoutStatusChip(props: { payout: Payout; inWords?: boolean }) {
  const { payout } = props
  if (payout.status === 'WITHDRAWN') return <Tick {...(props.inWords && { inWords: true })}>Withdrawn</Tick>
  const note =
    payout.inProgress === 'claim' ? 'Being claimed' : payout.inProgress === 'reclaim' ? 'Being reclaimed' : null
  return (
    <Chip tone={payoutTone(payout)} {...(note ? { title: note } : {})}>
      {payoutStatusNames[payout.status]}
    </Chip>
  )
}

/**
 * A ref for an element that may disappear while it has the focus, such as the button of an action that is no longer
 * possible. Moves the focus to the page's content instead of losing it.
 */
export const keepFocus = (element: HTMLElement | null) => () => {
  if (element !== null && element === document.activeElement)
    document.getElementById('content')?.focus({ preventScroll: true })
}
