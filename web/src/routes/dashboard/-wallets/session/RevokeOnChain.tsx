import { CircleCheck, LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { disableRotation, disableRotationSignature } from '#chain/ownerCalls.ts'
import { Button } from '#web/components/Button.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { networkName } from '#web/lib/networks.ts'
import { ownerSigningContext } from '#web/queries/sessionKeys.ts'
import { refreshWallets, type Wallet, walletName } from '#web/queries/wallets.ts'
import type { WalletDialogProps } from '../walletDialog.ts'
import { OwnerKey } from './OwnerKey.tsx'
import { useOwnerAction } from './useOwnerAction.ts'

/** The last step: the owner signs here, or sends the call from their own account. */
export function RevokeOnChain(props: WalletDialogProps) {
  const { wallet } = props
  const [sent, setSent] = useState(false)
  const owner = useOwnerAction({
    wallet,
    failed: 'Failed to revoke authority. Please try again or contact support.',
    onStarted: () => setSent(true),
    prepare: async () => ({ context: await ownerSigningContext(wallet.id), action: { kind: 'disableRotation' } }),
  })
  return (
    <Dialog
      title="Revoke it on chain"
      description={`Step 4 of 4 · ${walletName(wallet)}`}
      onClose={props.onClose}
      locked={owner.busy && !sent}
      onStopWaiting={owner.onStopWaiting}
      onSubmit={(event) => {
        event.preventDefault()
        void owner.run()
      }}
      footer={
        <>
          <Button look="secondary" onClick={props.onClose}>
            Close
          </Button>
          {!sent && (
            <Button type="submit" look="danger" busy={owner.busy} disabled={!owner.ready}>
              Sign and revoke authority
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        {!sent && (
          <>
            <p>Sign here. We submit it and cover the network fee.</p>
            <OwnerKey {...owner.keyProps} />
            <div className="border-hairline border-t pt-4">
              <p className="font-medium">Or send it yourself</p>
              <p className="mt-1 text-muted text-small">
                From the owner’s account on {networkName(wallet.chain)}, with any wallet that can send a contract call,
                or with the recovery page.
              </p>
              <dl className="mt-2 space-y-2">
                <Copyable name="Contract" value={wallet.address} what="contract" />
                <Copyable name="Function" value={disableRotationSignature} what="function" />
                <Copyable name="Calldata" value={disableRotation()} what="calldata" />
              </dl>
            </div>
          </>
        )}
        <p role="status" data-testid="authority-watch" className="flex items-center gap-2 text-muted text-small">
          <LoaderCircle aria-hidden="true" className="size-4 shrink-0 animate-spin" />
          {sent ? 'Sent. Waiting for confirmation on Base.' : 'Watching the chain: this page notices when it is done.'}
        </p>
      </div>
    </Dialog>
  )
}

function Copyable(props: { name: string; value: string; what: string }) {
  return (
    <div>
      <dt className="text-muted text-small">{props.name}</dt>
      <dd className="flex items-center justify-between gap-2 rounded-control bg-sunken py-1 pr-1 pl-3">
        <span className="break-all font-mono text-small">{props.value}</span>
        <CopyButton text={props.value} what={props.what} />
      </dd>
    </div>
  )
}

/** Shown once the revocation is confirmed on chain. */
export function AuthorityRevoked(props: { wallet: Wallet; isActive: boolean; onClose: () => void }) {
  useEffect(() => {
    void refreshWallets()
  }, [])
  return (
    <Dialog
      title="Authority revoked"
      description={walletName(props.wallet)}
      onClose={props.onClose}
      footer={<Button onClick={props.onClose}>Done</Button>}
    >
      <p role="status" data-testid="authority-revoked" className="flex items-start gap-2">
        <CircleCheck aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-green" />
        Confirmed on Base: we can never again rotate this wallet’s session key.
      </p>
      {props.isActive && (
        <p className="mt-3 text-muted">
          The current session key stays valid until its limit or date is reached. To end it, choose Session key, then
          Revoke session.
        </p>
      )}
    </Dialog>
  )
}
