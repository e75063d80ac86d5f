import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { toast } from 'react-hot-toast/headless'
import type { User } from '#schemas/account.ts'
import { Spinner } from '#web/components/Spinner.tsx'
import { SkeletonRows } from '#web/components/states.tsx'
import { actingFor } from '#web/lib/actingFor.ts'
import { appName } from '#web/lib/app.ts'
import { keepAnswers } from '#web/lib/keptAnswers.ts'
import { leaveEndedAccount, nameAccountInLinks, takeEndedAccount } from '#web/lib/otherAccount.ts'
import { waitWhenRefused } from '#web/lib/repeat.ts'
import { useSession } from '#web/lib/session.ts'
import { browserStorage, tabStorage } from '#web/lib/storage.ts'
import { isSessionInMemory } from '#web/lib/tokens.ts'
import { pushUser } from '#web/push/pushUser.ts'
import { usePrimaryChain } from '#web/queries/config.ts'
import { refreshBalance } from '#web/queries/overview.ts'
import { useRoleNow } from '#web/queries/people.ts'
import { pushKeyQuery } from '#web/queries/push.ts'
import { refreshWallets } from '#web/queries/wallets.ts'
import { ReconnectWallet } from '#web/wallet/lazyWallet.tsx'
import { InactivityGuard } from './InactivityGuard.tsx'
import { Main } from './Main.tsx'
import { usePinned } from './pinnedMenu.ts'
import { TopBar } from './TopBar.tsx'
import { useOnline } from './useOnline.ts'

const TestNetworkBar = lazy(() => import('#web/components/TestNetworkBar.tsx'))
const PasswordPrompt = lazy(() => import('./PasswordPrompt.tsx'))
const SessionExpired = lazy(async () => ({ default: (await import('./SessionEnd.tsx')).SessionExpired }))
const Onboarding = lazy(() => import('./Onboarding.tsx'))
const LinkedAccount = lazy(() => import('./LinkedAccount.tsx'))
/** Pages without their own route: every page, even /login, loads all route definitions. */
const OtherPage = lazy(() => import('./OtherPage.tsx'))

keepAnswers()
leaveEndedAccount()
nameAccountInLinks()

waitWhenRefused((count) => {
  if (count === 0) toast.dismiss('waiting')
  else toast.loading('That was a lot at once. The rest of this page follows in a moment.', { id: 'waiting' })
})

/** The frame of the signed-in pages: session guard, top bar, page, onboarding, session expiry. */
export function Shell() {
  const { user, isLoading, expired } = useSession()
  const isTest = usePrimaryChain() !== 'base'
  const online = useOnline()
  const { isPinned } = usePinned()
  const navigate = useNavigate()
  const { _splat: other } = useParams({ strict: false })
  usePush(user?.id)
  useRoleNow()
  useEffect(tellEndedAccount, [])
  useEffect(loadDialogs, [])
  /** The user whose page is shown, even below the session-expired notice. */
  const [known, setKnown] = useState(user)
  if (user && user !== known) setKnown(user)
  const owner = user ?? (expired ? known : null)
  const signedOut = !isLoading && !user && !expired

  useEffect(() => {
    browserStorage.remove('theme')
    document.documentElement.classList.remove('light', 'dark')
  }, [])
  useEffect(() => {
    if (user) tabStorage.remove('expired')
  }, [user])
  useEffect(() => {
    if (signedOut) navigate({ to: '/login', replace: true })
  }, [signedOut, navigate])

  if (isLoading) return <Spinner />
  const toLogin = () => {
    tabStorage.set('expired', 'true') // for the sign-in page, which is another document
    navigate({ to: '/login', search: { redirect: here() } })
  }
  const notice = expired && (
    <Suspense>
      <SessionExpired onClose={toLogin} />
    </Suspense>
  )
  if (!owner) return notice || null
  return (
    <div className={clsx('min-h-dvh', isPinned && 'pl-60')}>
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
      {isSessionInMemory() && (
        <p role="status" className="bg-amber-tint px-4 py-2 text-center text-amber text-small">
          This browser does not let {appName} store anything. You are signed in until you close or reload this page, and
          browser wallets can’t be connected.
        </p>
      )}
      {!online && (
        <p role="status" className="bg-amber-tint px-4 py-2 text-center text-amber text-small">
          You are offline. This page may be out of date, and nothing can be sent.
        </p>
      )}
      <Main>
        <AskedAccount user={owner}>
          {other === undefined ? (
            <Outlet />
          ) : (
            <Suspense fallback={<SkeletonRows rows={5} />}>
              <OtherPage path={other} />
            </Suspense>
          )}
        </AskedAccount>
      </Main>
      <OnrampReturn />
      {user && <InactivityGuard />}
      <ReconnectWallet />
      <Suspense>
        <PasswordPrompt />
      </Suspense>
      {user?.needsOnboarding && (
        <Suspense>
          <Onboarding user={user} />
        </Suspense>
      )}
      {notice}
    </div>
  )
}

/** The page; if its link names another account, the question about that first. */
function AskedAccount(props: { user: User; children: ReactNode }) {
  const { account } = useSearch({ from: '/dashboard' })
  const navigate = useNavigate()
  const isHere = account === (actingFor()?.id ?? props.user.id)
  const stay = useCallback(
    () => navigate({ to: '.', search: ({ account: _, ...rest }) => rest, replace: true }),
    [navigate],
  )
  useEffect(() => {
    if (isHere) void stay()
  }, [isHere, stay])
  if (account === undefined || isHere) return props.children
  return (
    <Suspense fallback={<SkeletonRows rows={5} />}>
      <LinkedAccount user={props.user} linkedId={account} onStay={stay} />
    </Suspense>
  )
}

/** Stays until it is dismissed: the page may have changed while nobody looked at it. */
function tellEndedAccount(): void {
  const name = takeEndedAccount()
  if (name === null) return
  toast(`You no longer act for ${name}. This is your own account.`, {
    id: 'account-ended',
    duration: Number.POSITIVE_INFINITY,
  })
}

/** After the first paint, which is sooner without them: the menu opens at once, and a session may end while offline. */
function loadDialogs(): void {
  const files = [import('./MenuDrawer.tsx'), import('./SessionEnd.tsx')]
  Promise.all(files).catch(() => undefined) // whoever needs one tries again
}

const here = () => location.pathname + location.search

/** Makes the dashboard installable, which iPhones require for push, and keeps push on if the user has turned it on. */
function usePush(userId: string | undefined): void {
  useEffect(() => {
    if (document.querySelector('link[rel=manifest]')) return
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'manifest', href: '/manifest.webmanifest' }),
    )
  }, [])
  const isOn = userId !== undefined && pushUser() === userId
  const publicKey = useQuery({ ...pushKeyQuery, enabled: isOn }).data?.publicKey
  useEffect(() => {
    // If this fails, messages stop, which the settings show; the page works regardless.
    if (isOn && publicKey)
      import('#web/push/device.ts').then((device) => device.keepPushOn(publicKey)).catch(() => undefined)
  }, [isOn, publicKey])
}

const pollMs = 5_000 // 5 seconds
const pollForMs = 120_000 // 2 minutes

/** After a purchase of USDC (`?onramp=success`), confirms it once and polls the balances for two minutes, on any page. */
function OnrampReturn() {
  const { onramp } = useSearch({ from: '/dashboard' })
  const navigate = useNavigate()

  useEffect(() => {
    if (onramp !== 'success') return
    toast.success('Payment received. Your USDC arrives within a minute or two.', { id: 'onramp' })
    const poll = () => {
      void refreshWallets()
      refreshBalance()
    }
    // Not cleared by the effect's cleanup, which runs as soon as the flag is removed from the URL.
    const timer = setInterval(poll, pollMs)
    setTimeout(() => clearInterval(timer), pollForMs)
    navigate({ to: '.', search: ({ onramp: _, ...rest }) => rest, replace: true })
  }, [onramp, navigate])
  return null
}
