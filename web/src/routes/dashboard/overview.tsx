import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { PageHeader } from '../../components/Card.tsx'
import { ErrorState } from '../../components/states.tsx'
import { useTitle } from '../../lib/hooks.ts'
import { overviewQuery } from '../../queries/overview.ts'
import { BalanceCard } from './-overview/BalanceCard.tsx'
import { Figures } from './-overview/Figures.tsx'
import { FirstSteps } from './-overview/FirstSteps.tsx'
import { LatestPayments } from './-overview/LatestPayments.tsx'

export const Route = createFileRoute('/dashboard/overview')({ component: OverviewPage })

const refreshMs = 30_000 // 30 seconds

function OverviewPage() {
  const overview = useQuery({ ...overviewQuery, refetchInterval: refreshMs })
  useTitle('Overview')
  return (
    <>
      <PageHeader title="Overview" />
      {overview.isError && !overview.data ? (
        <div className="rounded-card border border-hairline bg-card">
          <ErrorState error={overview.error} onRetry={() => overview.refetch()} />
        </div>
      ) : (
        <div className="flex flex-col gap-4 lg:flex-row lg:items-start">
          <div className="grid min-w-0 flex-1 grid-cols-1 gap-4">
            <BalanceCard overview={overview.data} onRetry={() => overview.refetch()} busy={overview.isFetching} />
            <Figures overview={overview.data} />
            <LatestPayments />
          </div>
          {overview.data && <FirstSteps overview={overview.data} />}
        </div>
      )}
    </>
  )
}
