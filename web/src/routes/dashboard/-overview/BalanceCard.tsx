import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../../../worker/schemas/transaction.ts'
import { Balance } from '../../../components/Amount.tsx'
import { Button, buttonClass } from '../../../components/Button.tsx'
import { Card } from '../../../components/Card.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { formatAmount } from '../../../lib/format.ts'

/** The one number that matters. */
export function BalanceCard(props: { overview: Overview | undefined; busy: boolean; onRetry: () => void }) {
  const { overview } = props
  return (
    <Card className="flex flex-wrap items-end justify-between gap-4 p-5">
      <div>
        <h2 className="text-muted text-small">Total balance</h2>
        {!overview ? (
          <Skeleton className="mt-1 h-9 w-48" />
        ) : overview.totalBalance === null ? (
          <p className="mt-1 flex flex-wrap items-center gap-3">
            <span className="font-semibold text-title">Unavailable</span>
            <Button look="secondary" busy={props.busy} onClick={props.onRetry}>
              Try again
            </Button>
          </p>
        ) : (
          <p data-testid="total-balance">
            <Balance value={overview.totalBalance} className="font-semibold text-figure" />
          </p>
        )}
        <p className="mt-1 min-h-5 text-muted text-small">
          {overview && overview.held !== '0' && (
            <>${formatAmount(overview.held)} of it is held for payments under way</>
          )}
        </p>
      </div>
      <Link to="/dashboard/wallets" className={buttonClass('secondary')}>
        View wallets
      </Link>
    </Card>
  )
}
