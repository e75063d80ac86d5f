import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/**
 * The token of the emailed link that opened this page, from the fragment `#token=…`; null if there is none. Removes it
 * immediately from the address bar and the history, where others could read it.
 */
export function useLinkToken(): string | null {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const navigate = useNavigate()
  const [token, setToken] = useState(() => tokenIn(hash))
  useEffect(() => {
    const found = tokenIn(hash)
    if (found === null) return
    setToken(found) // also when a link is opened in a tab that already shows this page
    navigate({ to: '.', hash: '', replace: true })
  }, [hash, navigate])
  return token
}

const tokenIn = (hash: string) => new URLSearchParams(hash).get('token') || null
