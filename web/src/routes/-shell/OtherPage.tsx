import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import type { Call } from '#domain/roles.ts'
import { SkeletonRows } from '#web/components/states.tsx'
import { useAllowed } from '#web/queries/people.ts'

const NotInThisAccount = lazy(() => import('./NotInThisAccount.tsx'))

/** Pages without their own route, by the last part of their path. */
const pages = {
  assistants: lazy(() => import('../dashboard/-assistants/AssistantsPage.tsx')),
  changes: lazy(() => import('../dashboard/-changes/ChangesPage.tsx')),
  connect: lazy(() => import('../dashboard/-connect/ConnectPage.tsx')),
  device: lazy(() => import('../dashboard/-connect/DevicePage.tsx')),
  notices: lazy(() => import('../dashboard/-notices/NoticesPage.tsx')),
  people: lazy(() => import('../dashboard/-people/PeoplePage.tsx')),
  restored: lazy(() => import('../dashboard/-restored/RestoredPage.tsx')),
  webhooks: lazy(() => import('../dashboard/-webhooks/WebhooksPage.tsx')),
}

/** Pages that are of use only to those who may make this call. */
const calls: Partial<Record<keyof typeof pages, Call>> = {
  assistants: 'connections.allow',
  connect: 'connections.allow',
  device: 'connections.allow',
  webhooks: 'webhooks.list',
}

const isPage = (path: string): path is keyof typeof pages => Object.hasOwn(pages, path)

/** Renders one of `pages`. Unknown paths redirect to the overview. */
export default function OtherPage(props: { path: string }) {
  const isAllowed = useAllowed()
  const call = isPage(props.path) ? calls[props.path] : undefined
  const Page = !isPage(props.path) ? null : call && !isAllowed(call) ? NotInThisAccount : pages[props.path]
  const navigate = useNavigate()
  useEffect(() => {
    if (!Page) void navigate({ to: '/dashboard/overview', replace: true })
  }, [Page, navigate])
  return <Suspense fallback={<SkeletonRows rows={5} />}>{Page && <Page />}</Suspense>
}
