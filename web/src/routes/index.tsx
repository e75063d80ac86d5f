import { createFileRoute, redirect } from '@tanstack/react-router'
import { getSession } from '../lib/session.ts'

export const Route = createFileRoute('/')({
  beforeLoad: () => {
    throw redirect({ to: getSession().user ? '/dashboard/overview' : '/login', replace: true })
  },
})
