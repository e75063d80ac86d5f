import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

/** `/join`, which has no route of its own, because every page loads all of them. Redirects any other path to `/`. */
export const Route = createFileRoute('/$')({
  beforeLoad: ({ location }) => {
    if (location.pathname !== '/join') throw redirect({ to: '/', replace: true })
  },
  component: JoinPage,
})

const JoinScreen = lazy(() => import('./-join/JoinScreen.tsx'))

function JoinPage() {
  return (
    <Suspense>
      <JoinScreen />
    </Suspense>
  )
}
