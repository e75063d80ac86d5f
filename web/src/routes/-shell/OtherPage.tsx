import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { SkeletonRows } from '#web/components/states.tsx'

/** Pages without their own route, by the last part of their path. */
const pages = {
  assistants: lazy(() => import('../dashboard/-assistants/AssistantsPage.tsx')),
  changes: lazy(() => import('../dashboard/-changes/ChangesPage.tsx')),
  connect: lazy(() => import('../dashboard/-connect/ConnectPage.tsx')),
  device: lazy(() => import('../dashboard/-connect/DevicePage.tsx')),
  notices: lazy(() => import('../dashboard/-notices/NoticesPage.tsx')),
  restored: lazy(() => import('../dashboard/-restored/RestoredPage.tsx')),
  webhooks: lazy(() => import('../dashboard/-webhooks/WebhooksPage.tsx')),
}

/** Renders one of `pages`. Unknown paths redirect to the overview. */
export default function OtherPage(props: { path: string }) {
  const Page = Object.hasOwn(pages, props.path) ? pages[props.path as keyof typeof pages] : null
  const navigate = useNavigate()
  useEffect(() => {
    if (!Page) void navigate({ to: '/dashboard/overview', replace: true })
  }, [Page, navigate])
  return <Suspense fallback={<SkeletonRows rows={5} />}>{Page && <Page />}</Suspense>
}
