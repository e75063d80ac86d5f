import { Dialog } from '@base-ui/react/dialog'
import { ExternalLink, X } from 'lucide-react'
import { CopyButton } from '../components/CopyButton.tsx'
import { QrCode } from '../components/QrCode.tsx'

/** A pairing link as a QR code for the wallet's camera, on a dark background as specified. */
export function QrModal(props: { uri: string; onClose: () => void }) {
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-ink/60" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 flex w-[min(22rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col items-center gap-4 rounded-card bg-ink p-6 text-center text-paper shadow-overlay outline-none">
          <div className="flex w-full items-start justify-between gap-3">
            <Dialog.Title className="font-semibold text-title">Scan with your wallet</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="-mt-1 -mr-2 inline-flex size-8 items-center justify-center rounded-control outline-offset-2 hover:bg-paper/15 focus-visible:outline-paper pointer-coarse:size-11"
            >
              <X aria-hidden="true" className="size-5" />
            </Dialog.Close>
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
          <Dialog.Description>Scan the code with your wallet, or copy the link into it.</Dialog.Description>
          <CopyButton text={props.uri} what="link" wide />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
