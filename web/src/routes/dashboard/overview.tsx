import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { Lock, LockOpen, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Card, PageHeader, Syncing } from '#web/components/Card.tsx'
import { EndingKeys } from '#web/components/EndingKeys.tsx'
import { GatedButton } from '#web/components/GatedButton.tsx'
import { May } from '#web/components/May.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { EmptyState, Skeleton } from '#web/components/states.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { noticeCountQuery } from '#web/queries/notices.ts'
import { overviewQuery } from '#web/queries/overview.ts'
import { FirstSteps } from './-overview/FirstSteps.tsx'
import { addWidget, defaultLayout } from './-overview/layout.ts'
import { SuggestedLayout } from './-overview/SuggestedLayout.tsx'
import { useLayout } from './-overview/useLayout.ts'
import { WidgetGrid } from './-overview/WidgetGrid.tsx'

export const Route = createFileRoute('/dashboard/overview')({ component: OverviewPage })

const PendingApprovals = lazy(async () => ({
  default: (await import('#web/components/PendingApprovals.tsx')).PendingApprovals,
}))
const ResetLayout = lazy(() => import('./-overview/ResetLayout.tsx'))
const WidgetLibrary = lazy(() => import('./-overview/WidgetLibrary.tsx'))

function OverviewPage() {
  const { items, change, isPending, isUnknown, reload } = useLayout()
  const overview = useQuery(overviewQuery)
  const [unlocked, setUnlocked] = useState(false)
  const [choosing, setChoosing] = useState(false)
  const [resetting, setResetting] = useState(false)
  /** Shown from the last visit, because newer figures are not there yet. */
  const isKept = overview.dataUpdatedAt === 0 && overview.data !== undefined
  const pending = useQuery(noticeCountQuery).data?.pending ?? 0
  useTitle('Overview')
  const Icon = unlocked ? LockOpen : Lock
  return (
    <>
      <PageHeader title="Overview" aside={<Syncing active={isKept && overview.isFetching} />}>
        {unlocked && (
          <Button look="quiet" onClick={() => setResetting(true)}>
            Reset layout
          </Button>
        )}
        <Button look="secondary" aria-pressed={unlocked} disabled={isUnknown} onClick={() => setUnlocked(!unlocked)}>
          <Icon aria-hidden="true" className="size-4" />
          {unlocked ? 'Lock layout' : 'Unlock layout'}
        </Button>
        <GatedButton missing={unlocked ? null : 'Unlock the layout to add a widget.'} onClick={() => setChoosing(true)}>
          <Plus aria-hidden="true" className="size-4" />
          Add Widget
        </GatedButton>
      </PageHeader>
      {isKept && overview.error && (
        <Notice tone="warning" className="mb-4">
          These figures are from your last visit. Newer ones could not be loaded.{' '}
          <button
            type="button"
            onClick={() => overview.refetch()}
            className="rounded-sm font-medium underline underline-offset-3"
          >
            Try again
          </button>
        </Notice>
      )}
      {isUnknown && (
        <Notice tone="warning" className="mb-4">
          Your own layout could not be loaded, so these are the default widgets. Your stored layout is unchanged.{' '}
          <button
            type="button"
            onClick={() => reload()}
            className="rounded-sm font-medium underline underline-offset-3"
          >
            Try again
          </button>
        </Notice>
      )}
      {pending > 0 && (
        <Suspense fallback={<div className="mb-4 h-9" />}>
          <PendingApprovals />
        </Suspense>
      )}
      <EndingKeys />
      {overview.data && (
        <May call="wallets.deploy">
          <FirstSteps overview={overview.data} />
        </May>
      )}
      {/* Widgets wait for the first steps, which would otherwise push them down. */}
      {isPending || !overview.isFetched ? (
        <Skeleton className="h-96" />
      ) : items.length === 0 ? (
        <Card>
          <EmptyState
            title="No widgets on your dashboard"
            action={
              <Button
                onClick={() => {
                  setUnlocked(true)
                  setChoosing(true)
                }}
              >
                Add Widget
              </Button>
            }
          >
            Choose widgets from the library.
          </EmptyState>
        </Card>
      ) : (
        <>
          <WidgetGrid items={items} unlocked={unlocked} onChange={change} />
          {overview.data && <SuggestedLayout overview={overview.data} />}
        </>
      )}
      <Suspense>
        {choosing && (
          <WidgetLibrary
            items={items}
            onAdd={(type) => {
              change(addWidget(items, type))
              setChoosing(false)
            }}
            onClose={() => setChoosing(false)}
          />
        )}
        {resetting && <ResetLayout onReset={() => change(defaultLayout)} onClose={() => setResetting(false)} />}
      </Suspense>
    </>
  )
}
