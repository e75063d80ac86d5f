import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentType, lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { servedReply, startEarly } from './lib/http.ts'
import { queryClient } from './lib/queryClient.ts'
import { getSession, startSession } from './lib/session.ts'
import { expiresSoon } from './lib/tokens.ts'
import { router } from './router.tsx'
import './styles.css'

// Loaded after the first screen, which has no toasts to show and needs the bandwidth.
const firstScreen = new Promise((resolve) => router.subscribe('onRendered', resolve))
const Toaster = lazy<ComponentType>(() =>
  firstScreen
    .then(() => import('./components/Toaster.tsx'))
    // No error component is around it: without this, a lost file would blank the page.
    .catch(() => ({ default: () => null })),
)

startSession()

// The calls with which a page begins, which otherwise wait for its code.
const { pathname } = location
if (pathname === '/dashboard/overview' && getSession().user && !expiresSoon())
  for (const call of ['/config', '/notices/count', '/preferences', '/overview', '/transactions/user?page=1&pageSize=5'])
    startEarly(call)
if (/^\/claim\/[\w.-]+$/.test(pathname)) startEarly(`/escrow${pathname}`, servedReply())

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Suspense>
        <Toaster />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)
