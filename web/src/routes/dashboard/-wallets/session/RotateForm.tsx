import { useState } from 'react'
import { Button } from '../../../../components/Button.tsx'
import { Dialog } from '../../../../components/Dialog.tsx'
import { ErrorBox } from '../../../../components/Field.tsx'
import { ApiError, messageOf } from '../../../../lib/api.ts'
import { useIdempotencyKey } from '../../../../lib/hooks.ts'
import { rotateSessionKey } from '../../../../queries/sessionKeys.ts'
import { refreshWallets, type SessionKeyInfo, type Wallet } from '../../../../queries/wallets.ts'
import { Exposure } from './Exposure.tsx'
import { GrantFields, useGrant } from './GrantForm.tsx'

/** We sign: a fresh key, a limit and a time, within what the wallet's contract lets us grant. */
export function RotateForm(props: {
  wallet: Wallet
  info: SessionKeyInfo
  onBack: () => void
  onOwner: () => void
  onStarted: (actionId: string) => void
  onClose: () => void
}) {
  const grant = useGrant()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ message: string; ownerMay: boolean } | null>(null)
  const idempotencyKey = useIdempotencyKey()

  async function rotate() {
    const asked = grant.check()
    if (!asked) return
    setBusy(true)
    setProblem(null)
    try {
      const { actionId } = await rotateSessionKey(props.wallet.id, asked, idempotencyKey.current())
      refreshWallets()
      props.onStarted(actionId)
    } catch (error) {
      idempotencyKey.refused(error)
      setBusy(false)
      setProblem({
        message: messageOf(error, 'Failed to rotate session key'),
        ownerMay: error instanceof ApiError && error.code === 'owner_must_sign',
      })
    }
  }

  return (
    <Dialog
      title="Rotate session key"
      description="A fresh key takes over. Payments under way go through first; the old key then ends."
      onClose={props.onClose}
      locked={busy}
      onSubmit={(event) => {
        event.preventDefault()
        void rotate()
      }}
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
            {problem.message}
            {problem.ownerMay && (
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
        <GrantFields {...grant.props} disabled={busy} />
        <Exposure wallet={props.wallet} info={props.info} nextLimit={grant.limit} />
      </div>
    </Dialog>
  )
}
