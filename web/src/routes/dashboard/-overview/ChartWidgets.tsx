import { zeroUsdc } from '#domain/money.ts'
import { percentUsed } from '#domain/statistics.ts'
import { microOf } from '../../../lib/amounts.ts'
import { formatAmount, plural } from '../../../lib/format.ts'
import type { WidgetProps } from './WidgetParts.tsx'

const names = { address: 'Address', contact: 'Contact', email: 'Email', phone: 'Phone' }

/** How recipients were paid, as bars relative to the most used method. */
export function Methods({ overview }: WidgetProps) {
  const { methods } = overview
  if (methods.length === 0) return <p className="m-auto text-muted">No payments yet.</p>
  const most = Math.max(...methods.map(({ count }) => count))
  return (
    <ul className="my-auto space-y-2.5">
      {methods.map(({ method, count, amount }) => (
        <li key={method}>
          <div className="flex justify-between gap-4 text-small">
            <span>{names[method]}</span>
            <span className="text-muted tabular-nums">
              {count.toLocaleString('en-US')} · ${formatAmount(amount)}
            </span>
          </div>
          <div aria-hidden="true" className="mt-1 h-2 rounded-full bg-sunken">
            <div className="h-full rounded-full bg-green" style={{ width: `${Math.max(2, (count * 100) / most)}%` }} />
          </div>
        </li>
      ))}
    </ul>
  )
}

const dayName = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'UTC' })
const dayDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** What was spent on each of the last seven UTC days. */
export function SevenDays({ overview }: WidgetProps) {
  const { days } = overview
  const micro = days.map(({ amount }) => microOf(amount))
  const most = micro.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? zeroUsdc
  const payments = days.reduce((sum, { count }) => sum + count, 0)
  if (payments === 0) return <p className="m-auto text-muted">Nothing spent in the last seven days.</p>
  return (
    <>
      <p className="text-muted text-small">{plural(payments, 'payment')}, days in UTC</p>
      <ol className="flex flex-1 gap-1.5 pt-2">
        {days.map(({ day, amount, count }, i) => (
          <li
            key={day}
            title={`${dayDate.format(new Date(day))}: $${formatAmount(amount)} in ${plural(count, 'payment')}`}
            className="flex min-w-0 flex-1 flex-col text-center"
          >
            <div aria-hidden="true" className="flex min-h-16 flex-1 items-end">
              <div
                className="w-full rounded-t-sm bg-green"
                style={{ height: count === 0 ? 0 : `${Math.max(3, percentUsed(micro[i]!, most))}%` }}
              />
            </div>
            <span className="sr-only">
              {dayDate.format(new Date(day))}: ${formatAmount(amount)} in {plural(count, 'payment')}
            </span>
            <span aria-hidden="true" className="text-muted text-small">
              {dayName.format(new Date(day))}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}
