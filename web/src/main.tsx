import './openedLink.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentType, lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { firstFigures } from './early.ts'
import { servedReply, startEarly } from './lib/http.ts'
import { queryClient } from './lib/queryClient.ts'
import { startSession } from './lib/session.ts'
import { router } from './router.tsx'
import './styles.css'

// Loaded after the first screen, which needs the bandwidth.
const Toaster = lazy<ComponentType>(() =>
  new Promise((resolve) => router.subscribe('onRendered', resolve))
    .then(() => import('./later.ts'))
    // No error component is around it: without this, a lost file would blank the page.
    .catch(() => ({ default: () => null })),
)

startSession()

// The page has come with the reply to its first call, or the call starts before the code that needs it is there.
if (/^\/claim\/[\w.-]+$/.test(location.pathname)) startEarly(`/escrow${location.pathname}`, servedReply())

const render = () =>
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

void firstFigures.then(render)
