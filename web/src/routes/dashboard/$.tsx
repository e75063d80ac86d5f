import { createFileRoute, redirect } from '@tanstack/react-router'

/** Pages that do not exist lead to the overview. */
export const Route = createFileRoute('/dashboard/$')({
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/overview', replace: true })
  },
})
