import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from 'react-hot-toast/headless'
import { overviewQuery } from '../../queries/overview.ts'
import { refreshWallets } from '../../queries/wallets.ts'

const pollMs = 5_000 // 5 seconds
const followMs = 120_000 // 2 minutes

/** Back from buying USDC (`?onramp=success`): says so once, and looks for the money for two minutes, wherever one goes. */
export function OnrampReturn() {
  const { onramp } = useSearch({ from: '/dashboard' })
  const navigate = useNavigate()
  const queryClient = useQueryClient()

  useEffect(() => {
    if (onramp !== 'success') return
    toast.success('Payment received. Your USDC arrives within a minute or two.', { id: 'onramp' })
    const look = () => {
      refreshWallets()
      queryClient.invalidateQueries({ queryKey: overviewQuery.queryKey })
    }
    // Not undone with the component: taking the flag off the URL is a change of it.
    const timer = setInterval(look, pollMs)
    setTimeout(() => clearInterval(timer), followMs)
    navigate({ to: '.', search: ({ onramp: _, ...rest }) => rest, replace: true })
  }, [onramp, navigate, queryClient])
  return null
}
