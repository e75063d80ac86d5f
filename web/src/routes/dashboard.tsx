import { createFileRoute, redirect } from '@tanstack/react-router'
import { getSession } from '../lib/session.ts'
import { Shell } from './-shell/Shell.tsx'

export const Route = createFileRoute('/dashboard')({
  beforeLoad: ({ location }) => {
    if (!getSession().user) throw redirect({ to: '/login', search: { redirect: location.href }, replace: true })
  },
  component: Shell,
})
