import { useState } from 'react'
import { MoneyChain } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { ApiError, messageOf } from '#web/lib/apiError.ts'
import { useDialogAction } from '#web/lib/useDialogAction.ts'
import {
  offerSession,
  ownerSigningContext,
  refreshWallets,
  rotateSessionKey,
  type SessionKeyInfo,
  type Wallet,
  walletName,
} from '#web/queries/wallets.ts'
import { Exposure } from './Exposure.tsx'
import { GrantFields, rotationFailed, useGrantForm } from './GrantFields.tsx'
import { grantedLimit, grantOf, grantWithPurchases, usualGrant } from './grant.ts'
import { OwnerDialog, useOwnerAction } from './OwnerKey.tsx'

/** Of a form that starts a new session. Without `onBack`, it is the first that its dialog shows. */
type NewSession = {
  wallet: Wallet
  info: SessionKeyInfo
  /** An agent may buy now, and nothing is kept for purchases yet: the form proposes to. */
  isForPurchases: boolean
  onBack: (() => void) | undefined
  onStarted: (actionId: string) => void
  onClose: () => void
}

const useNewSession = ({ info, isForPurchases }: NewSession) =>
  useGrantForm(() => (isForPurchases ? grantWithPurchases(info, Date.now()) : usualGrant(info)))

/** What the form's dialog says: `text` is how the new session begins. */
function opening({ wallet, isForPurchases, onBack }: NewSession, title: string, text: string) {
  if (!isForPurchases) return { title, description: text, onBack }
  const why = `Agents may buy from x402 sellers now, but ${walletName(wallet)} keeps nothing for purchases yet. A new session key keeps the amount below, and sends have that much less.`
  return { title: 'Keep a part for purchases', description: why, onBack, cancel: 'Not now' }
}

/** A rotation signed by Bursar: a new key, limit and duration, within what the wallet's contract lets us grant. */
export function RotateForm(props: NewSession & { onOwner: () => void }) {
  const form = useNewSession(props)
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
      {...opening(
        props,
        'Rotate session key',
        'A new key takes over once payments in progress are complete. The old key then stops working.',
      )}
      onClose={props.onClose}
      locked={busy}
      onStopWaiting={onStopWaiting}
      onSubmit={form.handleSubmit((values) => start(grantOf(values)))}
      footer={
        <Button type="submit" busy={busy}>
          Rotate session key
        </Button>
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

/** A renewal signed by the owner: we offer the address of a new key, and the owner's signature activates it. */
export function RenewForm(props: NewSession) {
  const { wallet } = props
  const form = useNewSession(props)
  const [offerKey] = useState(() => crypto.randomUUID())
  const owner = useOwnerAction({
    wallet,
    failed: rotationFailed,
    onStarted: props.onStarted,
    async prepare() {
      const grant = grantOf(form.getValues())
      // Each grant needs its own offer.
      const offer = await offerSession(wallet.id, grant, [offerKey, ...Object.values(grant)].join(':'))
      const { actionId, sessionKeyAddress: sessionKey, spendingLimit, purchaseAllowance, validUntil } = offer
      const message = { sessionKey, limit: BigInt(spendingLimit), purchaseAllowance, validUntil }
      return { context: offer, action: { kind: 'setSession', actionId }, message }
    },
  })

  return (
    <OwnerDialog
      {...opening(
        props,
        'Renew with your owner key',
        'You sign for a new session key. We submit it and cover the network fee.',
      )}
      onClose={props.onClose}
      owner={owner}
      sign="Sign and renew"
      onSubmit={form.handleSubmit(owner.run)}
    >
      <MoneyChain value={wallet.chain}>
        <GrantFields form={form} disabled={owner.busy} />
      </MoneyChain>
      <Exposure wallet={wallet} info={props.info} nextLimit={grantedLimit(form.watch())} />
    </OwnerDialog>
  )
}

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
    <OwnerDialog
      title="Revoke session"
      role="alertdialog"
      description="Immediately revokes our session key for this wallet."
      onClose={props.onClose}
      owner={owner}
      sign="Sign and revoke"
      isDanger
      onBack={props.onBack}
    >
      <ul className="list-disc space-y-1 pl-5 marker:text-faint">
        <li>Agents and this dashboard can no longer send from this wallet.</li>
        <li>Payments that have not reached the chain yet fail; their amounts stay in the wallet.</li>
        <li>We can’t rotate until you sign for a new session key. Your money stays in the wallet.</li>
      </ul>
    </OwnerDialog>
  )
}
