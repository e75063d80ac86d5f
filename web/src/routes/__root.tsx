import { createRootRoute, Outlet } from '@tanstack/react-router'
import { SessionExpiredGate } from '../components/SessionExpiredGate.tsx'

export const Route = createRootRoute({ component: Root })

function Root() {
  return (
    <>
      <Outlet />
      <SessionExpiredGate />
    </>
  )
}
