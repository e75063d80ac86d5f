import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ownerSigningContext } from '#web/queries/sessionKeys.ts'
import type { Wallet } from '#web/queries/wallets.ts'
import { OwnerKey } from './OwnerKey.tsx'
import { useOwnerAction } from './useOwnerAction.ts'

/** The owner revokes the session key immediately. Payments that are not on chain yet fail. */
export function RevokeForm(props: {
  wallet: Wallet
  onBack: () => void
  onStarted: (actionId: string) => void
  onClose: () => void
}) {
  const { wallet } = props
  const owner = useOwnerAction({
    wallet,
    failed: 'Failed to revoke session key. Please try again or contact support.',
    onStarted: props.onStarted,
    prepare: async () => ({ context: await ownerSigningContext(wallet.id), action: { kind: 'revokeSession' } }),
  })
  return (
    <Dialog
      title="Revoke session"
      role="alertdialog"
      description="Ends our session key for this wallet immediately."
      onClose={props.onClose}
      locked={owner.busy}
      onStopWaiting={owner.onStopWaiting}
      onSubmit={(event) => {
        event.preventDefault()
        void owner.run()
      }}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={owner.busy}>
            Back
          </Button>
          <Button type="submit" look="danger" busy={owner.busy} disabled={!owner.ready}>
            Sign and revoke
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        <ul className="list-disc space-y-1 pl-5 marker:text-faint">
          <li>Agents and this dashboard can no longer send from this wallet.</li>
          <li>Payments that have not reached the chain yet fail; their amounts stay in the wallet.</li>
          <li>We can’t rotate until you sign for a new session key. Your money stays in the wallet.</li>
        </ul>
        <OwnerKey {...owner.keyProps} />
      </div>
    </Dialog>
  )
}
