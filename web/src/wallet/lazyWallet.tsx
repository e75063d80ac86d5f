import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/Button.tsx'
import type { SignOwnerAction } from '../lib/ownerTypedData.ts'
import { isWalletRemembered } from './remembered.ts'

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

type Props<P extends object> = {
  /** Creates the lazy component. A lazy component that failed stays failed, so every attempt creates a new one. */
  part: () => ComponentType<P>
  /** Its props. */
  with?: P
  /** Shown while it loads. */
  fallback?: ReactNode
  /** Hides failures. */
  quiet?: boolean
}

/** A part of the page that is loaded when it is rendered. A failure leaves the page intact and can be retried. */
function OnDemand<P extends object>(props: Props<P>) {
  const [Part, setPart] = useState(props.part)
  const [attempt, setAttempt] = useState(1)
  const retry = () => {
    setPart(props.part)
    setAttempt(attempt + 1)
  }
  return (
    <Boundary
      key={attempt}
      instead={
        !props.quiet && (
          <div role="alert" className="space-y-3">
            <p className="text-muted">Wallets could not be loaded. Try again, or reload the page.</p>
            <Button look="secondary" onClick={retry}>
              Try again
            </Button>
          </div>
        )
      }
    >
      <Suspense fallback={props.fallback}>
        <Part {...(props.with ?? ({} as P))} />
      </Suspense>
    </Boundary>
  )
}

class Boundary extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render = () => (this.state.failed ? this.props.instead : this.props.children)
}
