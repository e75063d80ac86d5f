import { Dialog as Base } from '@base-ui/react/dialog'
import { ExternalLink, Wallet, X } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { type Connector, useConnect, useConnectors } from 'wagmi'
import { Button } from '../components/Button.tsx'
import { CopyButton } from '../components/CopyButton.tsx'
import { Dialog } from '../components/Dialog.tsx'
import { ErrorBox } from '../components/Field.tsx'
import { QrCode } from '../components/QrCode.tsx'
import { noWallet, walletProblem } from './problems.ts'

/** Opens the dialog that connects a wallet. */
export function ConnectButton(props: Pick<ComponentProps<typeof Button>, 'look' | 'className' | 'children'>) {
  const [connecting, setConnecting] = useState(false)
  return (
    <>
      <Button look="secondary" {...props} onClick={() => setConnecting(true)}>
        {props.children ?? 'Connect wallet'}
      </Button>
      {connecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </>
  )
}

/** Connects a wallet found in this browser, or another supported one. */
function ConnectDialog(props: { onClose: () => void }) {
  const { inBrowser, others } = useWallets()
  const connect = useConnect({ mutation: { retry: false } })
  const [uri, setUri] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Connector | null>(null)

  async function choose(connector: Connector) {
    setChosen(connector)
    const onMessage = ({ type, data }: { type: string; data?: unknown }) => {
      if (type === 'display_uri') setUri(String(data))
    }
    connector.emitter.on('message', onMessage)
    try {
      await connect.mutateAsync({ connector })
      props.onClose()
    } catch {
      // The mutation's error is shown.
    } finally {
      connector.emitter.off('message', onMessage)
      setUri(null)
      setChosen(null)
    }
  }

  return (
    <Dialog
      title="Connect a wallet"
      description="Connecting signs and pays nothing. We only learn the wallet’s address."
      onClose={props.onClose}
    >
      <div className="space-y-3">
        {connect.error && <ErrorBox>{walletProblem(connect.error)}</ErrorBox>}
        {inBrowser.length === 0 && <p className="text-muted">{noWallet}</p>}
        <ul className="space-y-2">
          {[...inBrowser, ...others].map((connector) => (
            <li key={connector.uid}>
              <button
                type="button"
                disabled={chosen !== null}
                aria-busy={connector === chosen || undefined}
                onClick={() => choose(connector)}
                className="flex min-h-12 w-full items-center gap-3 rounded-control border border-control px-3 text-left hover:bg-sunken disabled:border-hairline disabled:text-muted"
              >
                <WalletIcon connector={connector} />
                <span className="min-w-0 flex-1 truncate font-medium">{nameOf(connector)}</span>
                {connector === chosen && <span className="text-muted text-small">Waiting...</span>}
              </button>
            </li>
          ))}
        </ul>
        <p role="status" className="text-muted text-small">
          {chosen && `Respond to the request in ${nameOf(chosen)}.`}
        </p>
      </div>
      {uri && <QrModal uri={uri} onClose={props.onClose} />}
    </Dialog>
  )
}

/** Returns the wallets announced by EIP-6963 or, if there are none, the one behind `window.ethereum`. */
function useWallets(): { inBrowser: Connector[]; others: Connector[] } {
  const connectors = useConnectors()
  const injected = connectors.filter(({ type }) => type === 'injected')
  const announced = injected.filter(({ id }) => id !== 'injected')
  const others = connectors.filter(({ type }) => type !== 'injected')
  if (announced.length > 0) return { inBrowser: announced, others }
  return { inBrowser: 'ethereum' in window ? injected : [], others }
}

export const nameOf = (connector: Connector) => (connector.id === 'injected' ? 'Browser wallet' : connector.name)

/** Wallets bring their icon as a data URL; the page's content security policy refuses others. */
export function WalletIcon(props: { connector: Connector }) {
  const { icon } = props.connector
  if (!icon?.trim().startsWith('data:image/'))
    return <Wallet aria-hidden="true" className="size-6 shrink-0 text-muted" />
  return <img src={icon.trim()} alt="" className="size-6 shrink-0 rounded-sm" />
}

/** A pairing link as a QR code for the wallet's camera, on a dark background as specified. */
function QrModal(props: { uri: string; onClose: () => void }) {
  return (
    <Base.Root open disablePointerDismissal onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-ink/60" />
        <Base.Popup className="fixed top-1/2 left-1/2 z-50 flex w-[min(22rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col items-center gap-4 rounded-card bg-ink p-6 text-center text-paper shadow-overlay outline-none">
          <div className="flex w-full items-start justify-between gap-3">
            <Base.Title className="font-semibold text-title">Scan with your wallet</Base.Title>
            <Base.Close
              aria-label="Close"
              className="-mt-1 -mr-2 inline-flex size-8 items-center justify-center rounded-control outline-offset-2 hover:bg-paper/15 focus-visible:outline-paper pointer-coarse:size-11"
            >
              <X aria-hidden="true" className="size-5" />
            </Base.Close>
          </div>
          {/* A phone can't scan its own screen, so there a link opens the wallet app. */}
          <a
            href={props.uri}
            className="hidden h-control w-full items-center justify-center gap-2 rounded-control bg-paper px-4 font-medium text-ink outline-offset-2 focus-visible:outline-paper pointer-coarse:inline-flex"
          >
            <ExternalLink aria-hidden="true" className="size-4" />
            Open in wallet
          </a>
          <div className="rounded-control bg-white p-2">
            <QrCode text={props.uri} label="Pairing code for your wallet" />
          </div>
          <Base.Description>Scan the code with your wallet, or copy the link into it.</Base.Description>
          <CopyButton text={props.uri} what="link" wide />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
