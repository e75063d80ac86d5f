import { createFileRoute } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { claimTokenIn } from '#domain/readers/claimToken.ts'
import { Spinner } from '#web/components/Spinner.tsx'
import { ClaimScreen } from './-claim/ClaimScreen.tsx'

export const Route = createFileRoute('/claim/{-$accessToken}')({ component: ClaimPage })

const OpenWithoutLink = lazy(() => import('./-claim/kept/OpenWithoutLink.tsx'))

function ClaimPage() {
  const { accessToken } = Route.useParams()
  if (!accessToken)
    return (
      <Suspense fallback={<Spinner />}>
        <OpenWithoutLink />
      </Suspense>
    )
  const token = claimTokenIn(accessToken)
  return <ClaimScreen key={token} accessToken={token} />
}
