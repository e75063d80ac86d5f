import { createFileRoute } from '@tanstack/react-router'
import { ClaimScreen } from './-claim/ClaimScreen.tsx'

export const Route = createFileRoute('/claim/$accessToken')({ component: ClaimPage })

function ClaimPage() {
  const { accessToken } = Route.useParams()
  return <ClaimScreen key={accessToken} accessToken={accessToken} />
}
