import { useEffect, useEffectEvent, useState } from 'react'
import { useConnection } from 'wagmi'
import { FullAddress } from '../components/Address.tsx'
import { Button } from '../components/Button.tsx'
import { ConnectDialog } from './ConnectDialog.tsx'
import { WalletLayer } from './WalletLayer.tsx'

type Props = { onAddress: (address: string | null) => void }

export default function OwnerWallet(props: Props) {
  return (
    <WalletLayer>
      <Owner {...props} />
    </WalletLayer>
  )
}

function Owner(props: Props) {
  const { address } = useConnection()
  const [connecting, setConnecting] = useState(false)
  const onAddress = useEffectEvent(props.onAddress)
  useEffect(() => onAddress(address ?? null), [address])
  return (
    <>
      {address ? (
        <div className="rounded-control bg-sunken px-4 py-3">
          <FullAddress address={address} />
        </div>
      ) : (
        <Button look="secondary" onClick={() => setConnecting(true)}>
          Connect wallet
        </Button>
      )}
      {connecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </>
  )
}
