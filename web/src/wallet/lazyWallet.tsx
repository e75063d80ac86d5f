import { lazy } from 'react'
import type { SignOwnerAction } from '../lib/ownerTypedData.ts'
import { OnDemand } from './OnDemand.tsx'
import { isWalletRemembered } from './remembered.ts'

// The only way into the wallet layer: importing a part of it directly would load wagmi with the page.

const layer = () => lazy(() => import('./WalletLayer.tsx'))
const panel = () => lazy(() => import('./PanelWallet.tsx'))
const section = () => lazy(() => import('./WalletSection.tsx'))
const owner = () => lazy(() => import('./OwnerWallet.tsx'))
const signer = () => lazy(() => import('./OwnerSigner.tsx'))

const remembered = isWalletRemembered()

/** Reconnects at start. Loads nothing when no wallet was connected. */
export const ReconnectWallet = () => remembered && <OnDemand part={layer} quiet />

/** In the menu panel: connects a wallet, or shows the connected one. */
export const LazyPanelWallet = () => <OnDemand part={panel} fallback={<div className="h-control" />} />

/** In Settings: the same, with network, balance and the account's public address. */
export const LazyWalletSection = () => <OnDemand part={section} fallback={<div className="h-32" />} />

/** In a form: reports the address of the connected wallet, or null. */
export const LazyOwnerWallet = (props: { onAddress: (address: string | null) => void }) => (
  <OnDemand part={owner} fallback={<div className="h-control" />} with={props} />
)

/** In a form: reports how to sign as the owner while the owner's wallet is connected, else null. */
export const LazyOwnerSigner = (props: { owner: string; onSigner: (sign: SignOwnerAction | null) => void }) => (
  <OnDemand part={signer} fallback={<div className="h-control" />} with={props} />
)
