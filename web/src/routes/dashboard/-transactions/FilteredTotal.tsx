import { type FigureName, figureOf } from '#domain/figures.ts'
import { listsPayments } from '#domain/lists.ts'
import type { Page } from '#schemas/common.ts'
import { Amount } from '#web/components/Amount.tsx'
import { plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import type { FilterValues } from '#web/lists/useListPage.ts'
import { usePrimaryChain } from '#web/queries/config.ts'

/**
 * The number of transactions that match the filters, and the sum that they spent, on all pages. For the list of a figure, the sum
 * that the figure has. Keeps its line while loading.
 */
export function FilteredTotal(props: { page: Page | undefined; filters: FilterValues; isStale: boolean }) {
  const primary = usePrimaryChain()
  const { page, filters } = props
  const figure = filters.figure === undefined ? null : figureOf(filters.figure as FigureName)
  const isOfRequests = [filters.requested, filters.answer, filters.rules].some((each) => each !== undefined)
  const isOfAmounts = figure ? figure.sum === 'amount' : isOfRequests
  const sums = isOfAmounts ? page?.amount : page?.spent
  const other: Chain = primary === 'base' ? 'base-sepolia' : 'base'
  // The list of a figure has one network.
  const [shown, aside] = filters.network === other ? ([other, null] as const) : ([primary, other] as const)
  return (
    <p
      role="status"
      aria-busy={props.isStale}
      className="mb-4 min-h-6 text-muted transition-opacity aria-busy:opacity-60"
    >
      {sums && page?.total ? (
        <>
          {plural(page.total, isOfRequests ? 'request' : listsPayments(filters) ? 'payment' : 'transaction')}.{' '}
          {isOfAmounts ? 'Together' : 'Spent'}:{' '}
          <Amount value={sums[shown]} chain={shown} className="font-semibold text-ink" />
          {aside && sums[aside] !== '0' && (
            <span>
              {' '}
              and, separately, <Amount value={sums[aside]} chain={aside} className="text-ink" />
            </span>
          )}
          <span>. </span>
          {!isOfAmounts && <span className="text-small">Counts completed payments; payouts count once withdrawn.</span>}
        </>
      ) : null}
    </p>
  )
}
