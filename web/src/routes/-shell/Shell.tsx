import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { Spinner } from '../../components/Spinner.tsx'
import { useSession } from '../../lib/session.ts'
import { TopBar } from './TopBar.tsx'
import { useInactivity } from './useInactivity.ts'
import { useOnline } from './useOnline.ts'

const Onboarding = lazy(() => import('./Onboarding.tsx'))

/** The signed-in frame: guard, top bar, page, onboarding. */
export function Shell() {
  const { user, isLoading } = useSession()
  const online = useOnline()
  useInactivity(user !== null)

  useEffect(() => {
    localStorage.removeItem('theme')
    document.documentElement.classList.remove('light', 'dark')
  }, [])

  if (isLoading) return <Spinner />
  if (!user) return null
  return (
    <div className="min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-control bg-card px-4 py-2 font-medium text-green focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <TopBar user={user} />
      {!online && (
        <p role="status" className="bg-amber-tint px-4 py-2 text-center text-amber text-small">
          You are offline. What you see may be old, and nothing can be sent.
        </p>
      )}
      <main id="content" tabIndex={-1} className="mx-auto max-w-[1200px] px-4 py-6 outline-none sm:px-6">
        <Outlet />
      </main>
      {user.needsOnboarding && (
        <Suspense>
          <Onboarding user={user} />
        </Suspense>
      )}
    </div>
  )
}
