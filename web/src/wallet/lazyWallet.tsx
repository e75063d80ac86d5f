import { lazy } from 'react'
import { OnDemand } from './OnDemand.tsx'
import type { Sign } from './OwnerSigner.tsx'
import { isWalletRemembered } from './remembered.ts'

// The one way into the wallet layer: importing a part of it directly would load wagmi with the page.

const layer = () => lazy(() => import('./WalletLayer.tsx'))
const panel = () => lazy(() => import('./PanelWallet.tsx'))
const section = () => lazy(() => import('./WalletSection.tsx'))
const owner = () => lazy(() => import('./OwnerWallet.tsx'))
const signer = () => lazy(() => import('./OwnerSigner.tsx'))

const remembered = isWalletRemembered()

/** Reconnects on start; loads nothing for those who had no wallet connected. */
export const Reconnect = () => remembered && <OnDemand part={layer} quiet />

/** In the panel: connects a wallet, or shows the one that is. */
export const WalletOfPanel = () => <OnDemand part={panel} waiting={<div className="h-control" />} />

/** In Settings: the same with network, balance, and the account's public address. */
export const WalletOfSettings = () => <OnDemand part={section} waiting={<div className="h-32" />} />

/** In a form: tells the address of the connected wallet, or null. */
export const WalletOfOwner = (props: { onAddress: (address: string | null) => void }) => (
  <OnDemand part={owner} waiting={<div className="h-control" />} with={props} />
)

/** In a form: how to sign with the owner's key, while the connected wallet has it; else null. */
export const WalletOfSigner = (props: { owner: string; onSigner: (sign: Sign | null) => void }) => (
  <OnDemand part={signer} waiting={<div className="h-control" />} with={props} />
)
