import { useEffect, useEffectEvent } from 'react'
import { useConnection, useSignTypedData } from 'wagmi'
import { sameAddress } from '#domain/sameAddress.ts'
import { AddressBox } from '../components/Address.tsx'
import type { OwnerTypedData, SignOwnerAction } from '../lib/ownerTypedData.ts'
import { ConnectButton } from './ConnectDialog.tsx'
import { walletProblem } from './problems.ts'
import { WalletLayer } from './WalletLayer.tsx'

export function OwnerWallet(props: { onAddress: (address: string | null) => void }) {
  return (
    <WalletLayer>
      <Owner {...props} />
    </WalletLayer>
  )
}

function Owner(props: Parameters<typeof OwnerWallet>[0]) {
  const { address } = useConnection()
  const onAddress = useEffectEvent(props.onAddress)
  useEffect(() => onAddress(address ?? null), [address])
  return address ? <AddressBox address={address} /> : <ConnectButton />
}

type SignerProps = { owner: string; onSigner: (sign: SignOwnerAction | null) => void }

export function OwnerSigner(props: SignerProps) {
  return (
    <WalletLayer>
      <Signer {...props} />
    </WalletLayer>
  )
}

/** Signs with the connected wallet, if it is the owner's. Signing needs no network and costs nothing. */
function Signer(props: SignerProps) {
  const { address } = useConnection()
  const { mutateAsync } = useSignTypedData({ mutation: { retry: false } })
  const isOwner = sameAddress(address, props.owner)
  const onSigner = useEffectEvent(props.onSigner)
  const sign = useEffectEvent(async (data: OwnerTypedData) => {
    try {
      return await mutateAsync({ ...data, account: address } as Parameters<typeof mutateAsync>[0])
    } catch (error) {
      throw new Error(walletProblem(error))
    }
  })
  useEffect(() => onSigner(isOwner ? (data) => sign(data) : null), [isOwner])
  return (
    <>
      {address && <AddressBox address={address} />}
      {address && !isOwner && (
        <p role="alert" className="mt-2 text-amber text-small">
          This account is not the owner of this wallet. Choose{' '}
          <span translate="no" className="break-all font-mono">
            {props.owner}
          </span>{' '}
          in your wallet.
        </p>
      )}
      {!address && <ConnectButton />}
    </>
  )
}
