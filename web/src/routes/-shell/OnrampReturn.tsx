import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from 'react-hot-toast/headless'
import { overviewQuery } from '#web/queries/overview.ts'
import { refreshWallets } from '#web/queries/wallets.ts'

const pollMs = 5_000 // 5 seconds
const pollForMs = 120_000 // 2 minutes

/** After a purchase of USDC (`?onramp=success`), confirms it once and polls the balances for two minutes, on any page. */
export function OnrampReturn() {
  const { onramp } = useSearch({ from: '/dashboard' })
  const navigate = useNavigate()
  const queryClient = useQueryClient()

  useEffect(() => {
    if (onramp !== 'success') return
    toast.success('Payment received. Your USDC arrives within a minute or two.', { id: 'onramp' })
    const poll = () => {
      refreshWallets()
      queryClient.invalidateQueries({ queryKey: overviewQuery.queryKey })
    }
    // Not cleared by the effect's cleanup, which runs as soon as the flag is removed from the URL.
    const timer = setInterval(poll, pollMs)
    setTimeout(() => clearInterval(timer), pollForMs)
    navigate({ to: '.', search: ({ onramp: _, ...rest }) => rest, replace: true })
  }, [onramp, navigate, queryClient])
  return null
}
