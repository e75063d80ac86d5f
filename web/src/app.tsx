import './openedLink.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentType, lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './lib/queryClient.ts'
import { startSession } from './lib/session.ts'
import { router } from './router.tsx'

// Loaded after the first screen, which needs the bandwidth.
const Toaster = lazy<ComponentType>(() =>
  new Promise((resolve) => router.subscribe('onRendered', resolve))
    .then(() => import('./later.ts'))
    // No error component is around it: without this, a lost file would blank the page.
    .catch(() => ({ default: () => null })),
)

startSession()

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
