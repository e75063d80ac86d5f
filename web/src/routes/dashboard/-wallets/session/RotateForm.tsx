import { MoneyChain } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import { rotateSessionKey } from '#web/queries/sessionKeys.ts'
import { refreshWallets, type SessionKeyInfo, type Wallet } from '#web/queries/wallets.ts'
import { Exposure } from './Exposure.tsx'
import { GrantFields } from './GrantFields.tsx'
import { grantedLimit, grantOf, rotationFailed, useGrantForm } from './useGrantForm.ts'

/** A rotation signed by Bursar: a new key, limit and duration, within what the wallet's contract lets us grant. */
export function RotateForm(props: {
  wallet: Wallet
  info: SessionKeyInfo
  onBack: () => void
  onOwner: () => void
  onStarted: (actionId: string) => void
  onClose: () => void
}) {
  const form = useGrantForm()
  const { start, busy, problem, error, onStopWaiting } = useDialogAction(
    (grant: ReturnType<typeof grantOf>, key) => rotateSessionKey(props.wallet.id, grant, key),
    {
      fallback: (failure) => messageOf(failure, rotationFailed, 'Failed to rotate session key'),
      onDone({ actionId }) {
        refreshWallets()
        props.onStarted(actionId)
      },
    },
  )

  return (
    <Dialog
      title="Rotate session key"
      description="A new key takes over once payments in progress are complete. The old key then stops working."
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      onSubmit={form.handleSubmit((values) => start(grantOf(values)))}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={busy}>
            Back
          </Button>
          <Button type="submit" busy={busy}>
            Rotate session key
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {problem && (
          <ErrorBox>
            {problem}
            {error instanceof ApiError && error.code === 'owner_must_sign' && (
              <button
                type="button"
                onClick={props.onOwner}
                className="mt-1 block min-h-6 rounded-sm font-medium underline underline-offset-3"
              >
                Sign with your owner key instead
              </button>
            )}
          </ErrorBox>
        )}
        <MoneyChain value={props.wallet.chain}>
          <GrantFields form={form} disabled={busy} />
        </MoneyChain>
        <Exposure wallet={props.wallet} info={props.info} nextLimit={grantedLimit(form.watch())} />
      </div>
    </Dialog>
  )
}
