import { useState } from 'react'
import { MoneyChain } from '#web/components/Amount.tsx'
import { Button } from '#web/components/Button.tsx'
import { Dialog } from '#web/components/Dialog.tsx'
import { ErrorBox } from '#web/components/Field.tsx'
import { offerSession } from '#web/queries/sessionKeys.ts'
import type { SessionKeyInfo, Wallet } from '#web/queries/wallets.ts'
import { Exposure } from './Exposure.tsx'
import { GrantFields } from './GrantFields.tsx'
import { OwnerKey } from './OwnerKey.tsx'
import { grantedLimit, grantOf, rotationFailed, useGrantForm } from './useGrantForm.ts'
import { useOwnerAction } from './useOwnerAction.ts'

/** A renewal signed by the owner: we offer the address of a new key, and the owner's signature activates it. */
export function RenewForm(props: {
  wallet: Wallet
  info: SessionKeyInfo
  onBack: () => void
  onStarted: (actionId: string) => void
  onClose: () => void
}) {
  const { wallet } = props
  const form = useGrantForm()
  const [offerKey] = useState(() => crypto.randomUUID())
  const owner = useOwnerAction({
    wallet,
    failed: rotationFailed,
    onStarted: props.onStarted,
    async prepare() {
      const grant = grantOf(form.getValues())
      // Each grant needs its own offer.
      const offer = await offerSession(wallet.id, grant, `${offerKey}:${grant.spendingLimit}:${grant.ttlHours}`)
      const { actionId, sessionKeyAddress: sessionKey, validUntil } = offer
      const message = { sessionKey, limit: BigInt(offer.spendingLimit), validUntil }
      return { context: offer, action: { kind: 'setSession', actionId }, message }
    },
  })

  return (
    <Dialog
      title="Renew with your owner key"
      description="You sign for a new session key. We submit it and cover the network fee."
      onClose={props.onClose}
      locked={owner.busy}
      onStopWaiting={owner.onStopWaiting}
      onSubmit={form.handleSubmit(owner.run)}
      footer={
        <>
          <Button look="secondary" onClick={props.onBack} disabled={owner.busy}>
            Back
          </Button>
          <Button type="submit" busy={owner.busy} disabled={!owner.ready}>
            Sign and renew
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {owner.general && <ErrorBox>{owner.general}</ErrorBox>}
        <MoneyChain value={wallet.chain}>
          <GrantFields form={form} disabled={owner.busy} />
        </MoneyChain>
        <Exposure wallet={wallet} info={props.info} nextLimit={grantedLimit(form.watch())} />
        <OwnerKey {...owner.keyProps} />
      </div>
    </Dialog>
  )
}
