import { lazy } from 'react'
import type { SignOwnerAction } from '../lib/ownerTypedData.ts'
import { OnDemand } from './OnDemand.tsx'
import { isWalletRemembered } from './walletStorage.ts'

// The only entry to the wallet layer: importing a part of it directly would load wagmi with the page.

const layer = () => lazy(() => import('./WalletLayer.tsx'))
const panel = () => lazy(() => import('./PanelWallet.tsx'))
const section = () => lazy(() => import('./WalletSection.tsx'))
const owner = () => lazy(async () => ({ default: (await import('./Owner.tsx')).OwnerWallet }))
const signer = () => lazy(async () => ({ default: (await import('./Owner.tsx')).OwnerSigner }))

const remembered = isWalletRemembered()

/** Reconnects wallets at start. Loads nothing if no wallet was connected. */
export const ReconnectWallet = () => remembered && <OnDemand part={layer} quiet />

/** For the menu panel: connects a wallet, or shows the connected one. */
export const LazyPanelWallet = () => <OnDemand part={panel} fallback={<div className="h-control" />} />

/** For Settings: the same, with network, balance and the account's public address. */
export const LazyWalletSection = () => <OnDemand part={section} fallback={<div className="h-32" />} />

/** For forms: reports the connected wallet's address, or null. */
export const LazyOwnerWallet = (props: { onAddress: (address: string | null) => void }) => (
  <OnDemand part={owner} fallback={<div className="h-control" />} with={props} />
)

/** For forms: reports a function that signs as the owner while the owner's wallet is connected, else null. */
export const LazyOwnerSigner = (props: { owner: string; onSigner: (sign: SignOwnerAction | null) => void }) => (
  <OnDemand part={signer} fallback={<div className="h-control" />} with={props} />
)
