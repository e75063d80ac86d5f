import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { WagmiContext } from 'wagmi'
import { configQuery } from '../queries/config.ts'
import { walletConfig } from './config.ts'

/** Wallets for what is inside, once the deployment is known. Only ever reached by `lazy`: it brings wagmi. */
export function WalletLayer(props: { children?: ReactNode }) {
  const deployment = useQuery(configQuery).data
  if (!deployment) return null
  return <WagmiContext value={walletConfig(deployment)}>{props.children}</WagmiContext>
}

export default WalletLayer
