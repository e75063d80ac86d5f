import { lazy, Suspense } from 'react'
import { isWalletRemembered } from './remembered.ts'

const WalletLayer = lazy(() => import('./WalletLayer.tsx'))
const PanelWallet = lazy(() => import('./PanelWallet.tsx'))
const WalletSection = lazy(() => import('./WalletSection.tsx'))
const OwnerWallet = lazy(() => import('./OwnerWallet.tsx'))

// The one way into the wallet layer: importing a part of it directly would load wagmi with the page.

const remembered = isWalletRemembered()

/** Reconnects on start; loads nothing for those who had no wallet connected. */
export const Reconnect = () => <Suspense>{remembered && <WalletLayer />}</Suspense>

/** In the panel: connects a wallet, or shows the one that is. */
export const WalletOfPanel = () => (
  <Suspense fallback={<div className="h-control" />}>
    <PanelWallet />
  </Suspense>
)

/** In Settings: the same with network, balance, and the account's public address. */
export const WalletOfSettings = () => (
  <Suspense fallback={<div className="h-32" />}>
    <WalletSection />
  </Suspense>
)

/** In a form: tells the address of the connected wallet, or null. */
export const WalletOfOwner = (props: { onAddress: (address: string | null) => void }) => (
  <Suspense fallback={<div className="h-control" />}>
    <OwnerWallet {...props} />
  </Suspense>
)
