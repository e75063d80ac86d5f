import { Component, type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/Button.tsx'

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
export function OnDemand<P extends object>(props: Props<P>) {
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
