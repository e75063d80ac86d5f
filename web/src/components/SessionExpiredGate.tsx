import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { queryClient } from '../lib/queryClient.ts'

const SessionExpired = lazy(() => import('./SessionExpired.tsx'))

/** Shows the session-expired dialog when the session ends on a signed-in screen; closing it leads to sign-in. */
export function SessionExpiredGate() {
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()

  useEffect(() => {
    const onExpired = () => {
      if (location.pathname.startsWith('/dashboard')) setOpen(true)
    }
    addEventListener('session-expired', onExpired)
    return () => removeEventListener('session-expired', onExpired)
  }, [])

  if (!open) return null
  return (
    <Suspense>
      <SessionExpired
        onClose={() => {
          setOpen(false)
          queryClient.clear()
          const redirect = location.pathname + location.search
          navigate({ to: '/login', search: { redirect } })
        }}
      />
    </Suspense>
  )
}
