import type { Page } from '#schemas/common.ts'
import { Amount } from '#web/components/Amount.tsx'
import { plural } from '#web/lib/format.ts'
import type { Chain } from '#web/lib/networks.ts'
import { usePrimaryChain } from '#web/queries/config.ts'

/**
 * The number of transactions that match the filters and the sum they spent, on all pages. Keeps its line while loading.
 */
export function FilteredTotal(props: { page: Page | undefined; isStale: boolean }) {
  const primary = usePrimaryChain()
  const { total, spent } = props.page ?? {}
  const other: Chain = primary === 'base' ? 'base-sepolia' : 'base'
  return (
    <p
      role="status"
      aria-busy={props.isStale}
      className="mb-4 min-h-6 text-muted transition-opacity aria-busy:opacity-60"
    >
      {spent && total ? (
        <>
          {plural(total, 'transaction')}. Spent:{' '}
          <Amount value={spent[primary]} chain={primary} className="font-semibold text-ink" />
          {spent[other] !== '0' && (
            <>
              {' '}
              and, separately, <Amount value={spent[other]} chain={other} className="text-ink" />
            </>
          )}
          . <span className="text-small">Counts completed payments; payouts count once withdrawn.</span>
        </>
      ) : null}
    </p>
  )
}
