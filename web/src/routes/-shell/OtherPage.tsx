import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { SkeletonRows } from '../../components/states.tsx'

/** Pages without a route of their own, by the rest of their path: a route is loaded by every page, also by /login. */
const pages = {
  notices: lazy(() => import('../dashboard/-notices/NoticesPage.tsx')),
  webhooks: lazy(() => import('../dashboard/-webhooks/WebhooksPage.tsx')),
}

/** One of `pages`; what does not exist leads to the overview. */
export function OtherPage(props: { path: string }) {
  const Page = Object.hasOwn(pages, props.path) ? pages[props.path as keyof typeof pages] : null
  const navigate = useNavigate()
  useEffect(() => {
    if (!Page) void navigate({ to: '/dashboard/overview', replace: true })
  }, [Page, navigate])
  return <Suspense fallback={<SkeletonRows rows={5} />}>{Page && <Page />}</Suspense>
}
