import { createFileRoute, Navigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { SkeletonRows } from '../../components/states.tsx'

/** Pages without a route of their own, by the rest of their path: a route is loaded by every page, also by /login. */
const pages = { webhooks: lazy(() => import('./-webhooks/WebhooksPage.tsx')) }

export const Route = createFileRoute('/dashboard/$')({ component: OtherPage })

/** One of `pages`; what does not exist leads to the overview. */
function OtherPage() {
  const { _splat } = useParams({ strict: false })
  if (!isPage(_splat)) return <Navigate to="/dashboard/overview" replace />
  const Page = pages[_splat]
  return (
    <Suspense fallback={<SkeletonRows rows={5} />}>
      <Page />
    </Suspense>
  )
}

const isPage = (path: string | undefined): path is keyof typeof pages =>
  path !== undefined && Object.hasOwn(pages, path)
