import { Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Spinner } from '#web/components/Spinner.tsx'
import { useSession } from '#web/lib/session.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { ReconnectWallet } from '#web/wallet/lazyWallet.tsx'
import { InactivityGuard } from './InactivityGuard.tsx'
import { OnrampReturn } from './OnrampReturn.tsx'
import { OtherPage } from './OtherPage.tsx'
import { SessionExpired } from './SessionExpired.tsx'
import { TopBar } from './TopBar.tsx'
import { useOnline } from './useOnline.ts'
import { usePush } from './usePush.ts'

const TestNetworkBar = lazy(() => import('#web/components/TestNetworkBar.tsx'))
const Onboarding = lazy(() => import('./Onboarding.tsx'))

/** The frame of the signed-in pages: session guard, top bar, page, onboarding, session expiry. */
export function Shell() {
  const { user, isLoading, expired } = useSession()
  const isTest = usePrimaryChain() !== 'base'
  const online = useOnline()
  const navigate = useNavigate()
  const { _splat: other } = useParams({ strict: false })
  usePush(user?.id)
  /** The user whose page is shown, even below the session-expired notice. */
  const [known, setKnown] = useState(user)
  if (user && user !== known) setKnown(user)
  const owner = user ?? (expired ? known : null)
  const signedOut = !isLoading && !user && !expired

  useEffect(() => {
    localStorage.removeItem('theme')
    document.documentElement.classList.remove('light', 'dark')
  }, [])
  useEffect(() => {
    if (signedOut) navigate({ to: '/login', replace: true })
  }, [signedOut, navigate])

  if (isLoading) return <Spinner />
  const notice = expired && <SessionExpired onClose={() => navigate({ to: '/login', search: { redirect: here() } })} />
  if (!owner) return notice || null
  return (
    <div className="min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-control bg-card px-4 py-2 font-medium text-green focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <TopBar user={owner} />
      {isTest && (
        <Suspense>
          <TestNetworkBar />
        </Suspense>
      )}
      {!online && (
        <p role="status" className="bg-amber-tint px-4 py-2 text-center text-amber text-small">
          You are offline. This page may be out of date, and nothing can be sent.
        </p>
      )}
      <main id="content" tabIndex={-1} className="mx-auto max-w-[1248px] px-4 py-6 outline-none sm:px-6">
        {other === undefined ? <Outlet /> : <OtherPage path={other} />}
      </main>
      <OnrampReturn />
      {user && <InactivityGuard />}
      <ReconnectWallet />
      {user?.needsOnboarding && (
        <Suspense>
          <Onboarding user={user} />
        </Suspense>
      )}
      {notice}
    </div>
  )
}

const here = () => location.pathname + location.search
