import { Component, type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/Button.tsx'

type Props<P extends object> = {
  /** Creates the lazy component. */
  part: () => ComponentType<P>
  /** Its props. */
  with?: P
  /** Shown while it loads. */
  fallback?: ReactNode
  /** Hides failures. */
  quiet?: boolean
}

/**
 * A part of the page that is loaded when it is rendered. A failure leaves the page intact. Only a reload tries again: browsers
 * may keep the failure of a module for as long as the page is open.
 */
export function OnDemand<P extends object>(props: Props<P>) {
  const [Part] = useState(props.part)
  return (
    <Boundary
      instead={
        !props.quiet && (
          <div role="alert" className="space-y-3">
            <p className="text-muted">Wallets could not be loaded. Reload the page to try again.</p>
            <Button look="secondary" onClick={() => location.reload()}>
              Reload the page
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
