import { Component, type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../components/Button.tsx'

type Props<P extends object> = {
  /** Makes the lazy component. One that failed keeps its failure for ever, so every try needs its own. */
  part: () => ComponentType<P>
  with?: P
  waiting?: ReactNode
  /** Nobody is told of a failure. */
  quiet?: boolean
}

/** A part that is loaded when it is drawn. Where that fails the page stays whole, and loading can be tried again. */
export function OnDemand<P extends object>(props: Props<P>) {
  const [Part, setPart] = useState(props.part)
  const [tries, setTries] = useState(1)
  const again = () => {
    setPart(props.part)
    setTries(tries + 1)
  }
  return (
    <Boundary
      key={tries}
      instead={
        !props.quiet && (
          <div role="alert" className="space-y-3">
            <p className="text-muted">Wallets could not be loaded. Try again, or reload the page.</p>
            <Button look="secondary" onClick={again}>
              Try again
            </Button>
          </div>
        )
      }
    >
      <Suspense fallback={props.waiting}>
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
