import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect } from 'react'
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
  runs: lazy(() => import('../dashboard/-runs/RunsPage.tsx')),
  webhooks: lazy(() => import('../dashboard/-webhooks/WebhooksPage.tsx')),
}

/** Pages about one thing, whose id follows: `runs/run_1`. */
const pagesOfOne: Record<string, LazyExoticComponent<ComponentType<{ id: string }>>> = {
  agents: lazy(() => import('../dashboard/-agent/AgentPage.tsx')),
  runs: lazy(() => import('../dashboard/-runs/RunPage.tsx')),
}

/** Pages that are of use only to those who may make this call. */
const calls: Partial<Record<keyof typeof pages, Call>> = {
  assistants: 'connections.allow',
  connect: 'connections.allow',
  device: 'connections.allow',
  webhooks: 'webhooks.list',
}

const isPage = (path: string): path is keyof typeof pages => Object.hasOwn(pages, path)

/** Renders the page of a path. Unknown paths redirect to the overview. */
export default function OtherPage(props: { path: string }) {
  const isAllowed = useAllowed()
  const call = isPage(props.path) ? calls[props.path] : undefined
  const [folder = '', id, ...rest] = props.path.split('/')
  const PageOfOne = id && rest.length === 0 && Object.hasOwn(pagesOfOne, folder) ? pagesOfOne[folder] : undefined
  const Page = !isPage(props.path) ? null : call && !isAllowed(call) ? NotInThisAccount : pages[props.path]
  const navigate = useNavigate()
  useEffect(() => {
    if (!Page && !PageOfOne) void navigate({ to: '/dashboard/overview', replace: true })
  }, [Page, PageOfOne, navigate])
  return (
    <Suspense fallback={<SkeletonRows rows={5} />}>
      {PageOfOne && id ? <PageOfOne id={id} /> : Page && <Page />}
    </Suspense>
  )
}
