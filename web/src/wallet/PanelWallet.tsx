import { Unplug, Wallet } from 'lucide-react'
import { useConnection } from 'wagmi'
import { IconButton } from '../components/IconButton.tsx'
import { shortAddress } from '../lib/format.ts'
import { ConnectButton, WalletIcon } from './ConnectDialog.tsx'
import { chainNames, isSupported, useDisconnectAll } from './config.ts'
import { WalletLayer } from './WalletLayer.tsx'

/** Connects a wallet, or shows the connected one, in the menu panel. */
export default function PanelWallet() {
  return (
    <WalletLayer>
      <Connection />
    </WalletLayer>
  )
}

function Connection() {
  const { address, chainId, connector } = useConnection()
  const disconnect = useDisconnectAll()
  if (!address || !connector)
    return (
      <ConnectButton look="quiet" className="w-full justify-start! gap-3! px-2!">
        <Wallet aria-hidden="true" className="size-5" />
        Connect wallet
      </ConnectButton>
    )
  return (
    <div className="flex items-center gap-3 px-2 py-1">
      <WalletIcon connector={connector} />
      <div className="min-w-0 flex-1">
        <p translate="no" className="truncate font-mono text-small" title={address}>
          {shortAddress(address)}
        </p>
        {isSupported(chainId) ? (
          <p className="text-muted text-small">{chainNames[chainId]}</p>
        ) : (
          <p className="text-amber text-small">Another network</p>
        )}
      </div>
      <IconButton label="Disconnect wallet" onClick={() => disconnect.mutate()}>
        <Unplug aria-hidden="true" className="size-5" />
      </IconButton>
    </div>
  )
}
