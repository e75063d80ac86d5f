import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Undo2 } from 'lucide-react'
import { lazy } from 'react'
import { payoutSorts } from '#domain/lists.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { dayMs } from '#domain/time.ts'
import { Amount } from '#web/components/Amount.tsx'
import { Chip, Tick } from '#web/components/Chip.tsx'
import { CompactRow, DetailsLink } from '#web/components/DataTable.tsx'
import { IconButton } from '#web/components/IconButton.tsx'
import { MaybeEmail } from '#web/components/MaybeEmail.tsx'
import { notesLine } from '#web/components/Notes.tsx'
import { RowTime, useNow } from '#web/components/Time.tsx'
import { Tooltip } from '#web/components/Tooltip.tsx'
import { expiresIn } from '#web/lib/expiresIn.ts'
import { formatAmount, formatDayAndTime, formatMoment, plural } from '#web/lib/format.ts'
import { unitOf } from '#web/lib/networks.ts'
import { addresses, anyOf, network, noteFilters, oneOf, partsOf, personal, text } from '#web/lists/filters.ts'
import type { ShownRows } from '#web/lists/PagedCard.tsx'
import type { ListDefinition } from '#web/lists/useListPage.ts'
import {
  canReclaim,
  deliveryText,
  expiringSoon,
  exportPayouts,
  isMoving,
  isOpen,
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
  sorts: payoutSorts,
  filters: {
    status: anyOf('Status', payoutStatusNames),
    expiresWithinDays: oneOf('Expires', 'At any time', {
      ...{ 1: 'Within 1 day', 7: 'Within 7 days', 30: 'Within 30 days' },
    }),
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

const soonMs = Number(expiringSoon.expiresWithinDays) * dayMs
const isSoon = (payout: Payout, now: number) => isOpen(payout) && Date.parse(payout.expiresAt) - now < soonMs

/** 'Expires in 3 days', of a payout that is still open. */
const ExpiresIn = ({ payout }: { payout: Payout }) => (
  <span className="whitespace-nowrap text-amber">{expiresIn(payout.expiresAt, useNow())}</span>
)

/** When it expires, and how soon. Of one that has ended, the date is of no more interest. */
function Expiry({ payout }: { payout: Payout }) {
  const now = useNow()
  return (
    <>
      <Tooltip content={formatMoment(payout.expiresAt)}>
        <time dateTime={payout.expiresAt} className={clsx('whitespace-nowrap', !isOpen(payout) && 'text-muted')}>
          {formatDayAndTime(payout.expiresAt, now)}
        </time>
      </Tooltip>
      {isSoon(payout, now) && (
        <p className="text-small">
          <ExpiresIn payout={payout} />
        </p>
      )}
    </>
  )
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
          <span className="wrap-anywhere">
            <MaybeEmail text={recipientOf(payout)} />
          </span>
          <p className="empty:hidden">{problemOf(payout)}</p>
          <p className="line-clamp-1 max-w-72 wrap-anywhere text-muted empty:hidden">{notesLine(payout)}</p>
        </>
      ),
    },
    {
      header: 'Expires',
      sorts: { falling: 'latest', rising: 'soonest', first: 'rising' },
      cell: (payout) => <Expiry payout={payout} />,
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
      notes={[
        problemOf(payout),
        isSoon(payout, Date.now()) ? <ExpiresIn key="expires" payout={payout} /> : null,
        notesLine(payout),
      ]}
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
