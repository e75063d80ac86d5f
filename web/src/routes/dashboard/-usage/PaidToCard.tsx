import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maxPaidTo, type Period } from '#domain/periods.ts'
import { Amount } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { TitledCard } from '#web/components/Card.tsx'
import { ContactName } from '#web/components/ContactName.tsx'
import { Choice, PeriodChoice } from '#web/components/charts/SpanChoice.tsx'
import { SumBar } from '#web/components/charts/SumBar.tsx'
import { largest } from '#web/components/charts/scale.ts'
import { PaymentsLink, type PaymentsSearch } from '#web/components/PaymentsLink.tsx'
import { Loaded, Skeleton } from '#web/components/states.tsx'
import { microOf } from '#web/lib/amounts.ts'
import { formatAmount, plural, shortAddress } from '#web/lib/format.ts'
import { type PaidSum, type PaidTo, paidToQuery } from '#web/queries/answers.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { periodText } from './periodText.ts'

export type PaidBy = 'recipient' | 'seller'

const shownFirst = 10
const refreshMs = 30_000 // 30 seconds

/** Who got what was spent from all wallets on Base, this period against the one before. */
export default function PaidToCard(props: {
  period: Period
  by: PaidBy
  onChange: (change: { period?: Period; to?: PaidBy }) => void
}) {
  const { period, by, onChange } = props
  const [limit, setLimit] = useState(shownFirst)
  const paid = useQuery({
    ...paidToQuery({ period, by, limit }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  return (
    <TitledCard
      id="paid-to"
      title="Who was paid"
      note={
        <>
          <span>All wallets on Base</span>
          {paid.data && <span>{` · ${periodText(paid.data)}`}</span>}
        </>
      }
      aside={
        <div className="flex flex-wrap gap-x-3 gap-y-2">
          <PeriodChoice period={period} onPeriod={(value) => onChange({ period: value })} />
          <Choice
            legend="Paid to"
            value={by}
            options={[
              ['recipient', 'By recipient'],
              ['seller', 'By seller'],
            ]}
            onChange={(value) => onChange({ to: value })}
          />
        </div>
      }
    >
      <Loaded query={paid} loading={<Skeleton className="h-80" />}>
        {(data) => (
          <div aria-busy={paid.isPlaceholderData} className="transition-opacity aria-busy:opacity-60">
            <Sums paid={data} by={by} period={period} onMore={limit < maxPaidTo ? () => setLimit(maxPaidTo) : null} />
          </div>
        )}
      </Loaded>
    </TitledCard>
  )
}

function Sums(props: { paid: PaidTo; by: PaidBy; period: Period; onMore: (() => void) | null }) {
  const { paid, by, period } = props
  const { rows, others } = paid
  if (rows.length === 0)
    return (
      <p className="py-10 text-center text-muted">
        {by === 'seller' ? 'No purchases' : 'Nothing spent'} this {period} or last {period}.
      </p>
    )
  const top = largest(rows.flatMap(({ spent, earlier }) => [microOf(spent), microOf(earlier)]))
  return (
    <>
      <p className="mb-2">
        <Amount value={paid.spent} className="font-semibold" />{' '}
        <span className="text-muted text-small">
          this {period}, ${formatAmount(paid.earlier)} last {period}
        </span>
      </p>
      <ol aria-label={by === 'seller' ? 'Sellers' : 'Recipients'} className="divide-y divide-hairline">
        {rows.map((row) => (
          <li key={`${row.seller} ${row.recipient} ${row.lastPaymentId}`}>
            <Row row={row} paid={paid} by={by} period={period} top={top} />
          </li>
        ))}
      </ol>
      {others.count > 0 && (
        <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <p className="text-muted text-small">
            {plural(others.count, 'other')} got ${formatAmount(others.spent)} this {period} and $
            {formatAmount(others.earlier)} last {period}.
          </p>
          {props.onMore && (
            <Button look="secondary" onClick={props.onMore}>
              Show more
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function Row(props: { row: PaidSum; paid: PaidTo; by: PaidBy; period: Period; top: bigint }) {
  const { row, paid, by, period, top } = props
  const { spent, earlier } = row
  const primary = usePrimaryChain()
  const search: PaymentsSearch = {
    ...(by === 'seller' && row.seller !== null ? { seller: row.seller } : { recipientOf: row.lastPaymentId }),
    // Who got nothing this time has only the list of the time before.
    spent: spent === '0' ? paid.daysBefore : paid.days,
  }
  return (
    <PaymentsLink search={search} chain={primary} className="-mx-2 block rounded-control px-2 py-2.5 hover:bg-paper">
      <span className="flex flex-wrap items-baseline gap-x-4">
        <Name row={row} by={by} />
        <span className="ml-auto shrink-0 text-right">
          <Amount value={spent} />
          <span className="block text-muted text-small">
            {earlier === '0' ? `nothing last ${period}` : `vs. $${formatAmount(earlier)}`}
          </span>
        </span>
      </span>
      <SumBar sum={microOf(spent)} earlier={microOf(earlier)} top={top} />
    </PaymentsLink>
  )
}

/** The contact or seller, and below it where the money went; or that alone. */
function Name({ row, by }: { row: PaidSum; by: PaidBy }) {
  const { seller, name, recipient } = row
  const place = recipient.startsWith('0x') ? (
    <span translate="no" className="font-mono">
      {shortAddress(recipient)}
    </span>
  ) : (
    recipient
  )
  const title = seller ?? name
  return (
    <span className="wrap-anywhere min-w-0 grow basis-40 font-medium">
      <bdi>{title ?? <ContactName value={recipient}>{place}</ContactName>}</bdi>
      {title !== null && by === 'recipient' && <span className="block font-normal text-muted text-small">{place}</span>}
    </span>
  )
}
