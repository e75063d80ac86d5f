import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { WagmiContext } from 'wagmi'
import { configQuery } from '../queries/config.ts'
import { walletConfig } from './config.ts'

/** Provides wagmi to its children once the deployment's configuration is loaded. Load it lazily: it imports wagmi. */
export function WalletLayer(props: { children?: ReactNode }) {
  const deployment = useQuery(configQuery).data
  if (!deployment) return null
  return <WagmiContext value={walletConfig(deployment)}>{props.children}</WagmiContext>
}

export default WalletLayer
